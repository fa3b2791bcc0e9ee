import type { Page } from '@playwright/test';

import { expectNoViolations } from './support/axe';
import { setTheme } from './support/looks';
import { expect, test } from './support/test';

interface Dress {
  readonly theme: 'light' | 'dark';
  readonly width: number;
}

async function dress(page: Page, { theme, width }: Dress): Promise<void> {
  await page.setViewportSize({ width, height: 900 });
  await setTheme(page, theme);
}

for (const { theme, width } of [
  { theme: 'light', width: 1440 },
  { theme: 'dark', width: 390 },
] as const) {
  test(`the keys and their dialogs pass axe in ${theme} at ${width} px`, async ({
    page,
    admin,
    group,
  }) => {
    await admin.newKey({ name: group, patterns: ['a/*', 'b/*'] });
    const { key } = await admin.newKey({ name: `${group} old` });
    await admin.revoke(key.id);
    await dress(page, { theme, width });

    await page.goto(`/keys?q=${group}`);
    await expect(page.getByRole('row')).toHaveCount(3);
    await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
    await expectNoViolations(page);
    for (const [opener, role] of [
      [/^New key/, 'dialog'],
      [/^Rotate/, 'dialog'],
      [/^Revoke ⁨/, 'alertdialog'],
      [/^\+1$/, 'dialog'],
    ] as const) {
      await page.getByRole('button', { name: opener }).click();
      await expect(page.getByRole(role)).toBeVisible();
      if (opener.source === '^New key') {
        await page.getByRole('button', { name: 'Create key' }).click();
        await expect(page.getByText('A key needs a name.')).toBeVisible();
      }
      await expectNoViolations(page);
      await page.keyboard.press('Escape');
      await expect(page.getByRole(role)).toHaveCount(0);
    }
  });

  test(`the members and their dialogs pass axe in ${theme} at ${width} px`, async ({
    page,
    admin,
    group,
  }) => {
    await admin.invite(`${group}@example.com`, 'viewer');
    await dress(page, { theme, width });
    await page.goto('/settings/members');
    const row = page.locator(`[data-member="${group}@example.com"]`);
    await expect(row).toBeVisible();
    await expectNoViolations(page);
    for (const opener of [/^Change the role/, /^Make a new link/, /^Remove/]) {
      await row.getByRole('button', { name: opener }).click();
      await expect(page.getByRole('alertdialog')).toBeVisible();
      await expectNoViolations(page);
      await page.keyboard.press('Escape');
      await expect(page.getByRole('alertdialog')).toHaveCount(0);
    }
    await row.getByRole('button', { name: /^Make a new link/ }).click();
    await page.getByRole('button', { name: 'Make link' }).click();
    await expect(page.getByRole('dialog', { name: 'One-time link' })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByText('Not copied yet.')).toBeVisible();
    await expectNoViolations(page);
  });
}

test('a key is made by the keyboard alone', async ({ page, group }) => {
  await page.goto('/keys');
  // A key is sent to a button that is still disabled as well.
  await expect(page.getByRole('button', { name: 'New key…' })).toBeEnabled();
  await page.getByRole('button', { name: 'New key…' }).press('Enter');
  await expect(page.getByLabel('Name', { exact: true })).toBeFocused();
  await page.keyboard.type(group);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('checkbox', { name: 'acquire' })).toBeFocused();
  for (let step = 0; step < 3; step += 1) await page.keyboard.press('Tab');
  await expect(page.getByLabel(/^Resources/)).toBeFocused();
  await page.keyboard.type(`${group}/*`);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  const made = page.getByRole('dialog', { name: 'Key made' });
  await expect(made).toBeVisible();
  await made.getByRole('button', { name: 'Copy the secret' }).press('Enter');
  await made.getByRole('button', { name: 'Done' }).press('Enter');
  await expect(page.getByRole('button', { name: 'New key…' })).toBeFocused();
});
