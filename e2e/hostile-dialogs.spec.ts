import { keyNameField } from '@/lib/contract/access-fields';

import { soonOver } from './support/api';
import { hostileTexts } from './support/hostile';
import { expectFits, foreign, textsIn, watch } from './support/hostile-page';
import { expect, openList, test } from './support/test';

const widths = [1440, 390] as const;

test('hostile texts are text where many locks are cleared', async ({ page, api, group }) => {
  test.setTimeout(300_000);
  const happened = await watch(page);
  const names = hostileTexts.map((text) => `${group}/${text.normalize('NFC')}`);
  for (const resource of names)
    await api.acquire(resource, { owner: resource.slice(group.length + 1), ttlMs: soonOver });
  await openList(page, group, '&state=expired');
  await expect(page.getByRole('button', { name: `Expired ${names.length}` })).toBeVisible();
  await page.getByRole('checkbox', { name: 'Select all that are shown' }).check();
  await page.getByRole('button', { name: 'Clear selected…' }).click();
  const dialog = page.getByRole('dialog', { name: /^Clear \d+ expired locks\?$/ });
  await expect(dialog).toBeVisible();
  const seen = await textsIn(page, '[role=dialog]');
  expect(seen.length).toBeGreaterThan(0);
  expect(seen.filter((one) => !names.some((name) => name.includes(one)))).toEqual([]);
  expect(await page.locator(`[role=dialog] :is(${foreign})`).count()).toBe(0);
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    await expectFits(page, `clearing at ${width}`);
  }
  expect(await happened()).toEqual([]);
});

test('hostile texts are text as names and clients of keys', async ({ page, admin, group }) => {
  test.setTimeout(300_000);
  const happened = await watch(page);
  // A key's name takes no @, nothing unseen, and a hundred characters.
  const texts = hostileTexts.filter(
    (text) => keyNameField.safeParse(`${group} ${text.normalize('NFC')}`).success,
  );
  expect(texts.length).toBeGreaterThan(50);
  const wanted = new Map<string, string>();
  for (const text of texts) {
    const name = `${group} ${text.normalize('NFC')}`;
    const client = `${group}/${text.normalize('NFC')}`;
    const { key } = await admin.newKey({ name, client, patterns: [client.replaceAll('*', '')] });
    wanted.set(key.name, key.client);
  }
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`/keys?q=${encodeURIComponent(group)}`);
    await expect(page.locator('[data-api-key]')).toHaveCount(wanted.size);
    const rows = await page
      .locator('[data-api-key]')
      .evaluateAll((all) =>
        all.map((row) => [...row.querySelectorAll('bdi')].map((cell) => cell.textContent)),
      );
    for (const [name, client] of wanted) {
      const row = rows.find(([first]) => first === name);
      expect(row, name).toContain(client);
    }
    expect(await page.locator(`main :is(${foreign})`).count()).toBe(0);
    await expectFits(page, `the keys at ${width}`);
  }
  await page
    .locator('[data-api-key]')
    .first()
    .getByRole('button', { name: /^Revoke/ })
    .click();
  await expect(page.getByRole('alertdialog').or(page.getByRole('dialog'))).toBeVisible();
  expect(await page.locator(`:is([role=dialog], [role=alertdialog]) :is(${foreign})`).count()).toBe(
    0,
  );
  expect(await happened()).toEqual([]);
});
