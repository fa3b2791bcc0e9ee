import type { Page } from '@playwright/test';

import { expectNoViolations } from './support/axe';
import { signIn } from './support/callers';
import { setTheme } from './support/looks';
import { become } from './support/people';
import { expect, test } from './support/test';

const next = 'the next long password';

function statusOf(page: Page, cookie: { name: string; value: string }) {
  const headers = { cookie: `${cookie.name}=${cookie.value}` };
  return fetch(new URL('/api/me', page.url()), { headers }).then(({ status }) => status);
}

async function openDialog(page: Page) {
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('button', { name: 'Change password…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change your password' });
  await expect(dialog.getByLabel('Current password')).toBeFocused();
  return dialog;
}

test('a person changes the password, stays signed in here, and is signed out elsewhere', async ({
  page,
  people,
  baseURL,
}) => {
  const member = await people.add('viewer');
  const elsewhere = await people.session(member);
  await become(page, people, member);
  await page.goto('/locks');
  expect(await statusOf(page, elsewhere)).toBe(200);
  const dialog = await openDialog(page);
  const change = dialog.getByRole('button', { name: 'Change password' });

  await change.click();
  await expect(dialog.getByText('Type your current password.')).toBeVisible();
  await dialog.getByLabel('Current password').fill('not the password');
  await dialog.getByLabel('New password').fill('too short');
  await change.click();
  await expect(dialog.getByText('At least 12 characters; these are 9.')).toBeVisible();
  await expect(dialog.getByLabel('New password')).toBeFocused();
  await dialog.getByLabel('New password').fill('not the password');
  await expect(dialog.getByText('That is your current password.')).toBeVisible();
  await dialog.getByLabel('New password').fill(next);
  await change.click();
  await expect(dialog.getByText('That is not your current password.')).toBeVisible();
  await expect(dialog.getByLabel('Current password')).toBeFocused();
  await expect(dialog.getByLabel('New password')).toHaveValue(next);
  expect(await statusOf(page, elsewhere)).toBe(200);

  await dialog.getByLabel('Current password').fill(member.password);
  await page.keyboard.press('Enter');
  await expect(
    page.getByText('Password changed. Everywhere else you are signed out.'),
  ).toBeVisible();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole('button', { name: /^Account of/ })).toBeFocused();
  expect(await statusOf(page, elsewhere)).toBe(401);
  await page.reload();
  await expect(page.getByRole('button', { name: /^Account of/ })).toBeVisible();
  expect(page.url()).not.toContain('password');
  await expect(signIn(baseURL ?? '', member)).rejects.toThrow('401');
  await signIn(baseURL ?? '', { email: member.email, password: next });
});

test('an answer that got lost is told as such, and a refusal of guesses with the wait', async ({
  page,
  people,
}) => {
  const member = await people.add('viewer');
  await become(page, people, member);
  await page.goto('/locks');
  const dialog = await openDialog(page);
  await dialog.getByLabel('New password').fill(next);
  await dialog.getByLabel('Current password').fill(member.password);
  await page.route('**/api/auth/change-password', (route) => route.abort('connectionreset'));
  await page.keyboard.press('Enter');
  await expect(dialog.getByText('The password may have been changed.')).toBeVisible();
  await page.unroute('**/api/auth/change-password');

  for (let guess = 0; guess < 11; guess += 1) {
    await dialog.getByLabel('Current password').fill(`guess number ${guess}`);
    const answer = page.waitForResponse('**/api/auth/change-password');
    await page.keyboard.press('Enter');
    await answer;
    await expect(dialog.getByRole('button', { name: 'Change password' })).toBeVisible();
  }
  await expect(dialog.getByRole('alert')).toHaveText(/Too many attempts\. Try again in \d+ s\./);
});

for (const { theme, width } of [
  { theme: 'light', width: 1440 },
  { theme: 'dark', width: 390 },
] as const) {
  test(`the password dialog passes axe in ${theme} at ${width} px`, async ({ page }) => {
    await page.setViewportSize({ width, height: 900 });
    await setTheme(page, theme);
    await page.goto('/locks');
    const dialog = await openDialog(page);
    await dialog.getByRole('button', { name: 'Change password' }).click();
    await expect(dialog.getByText('Type your current password.')).toBeVisible();
    await expectNoViolations(page);
  });
}
