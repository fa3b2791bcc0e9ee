import type { Locator, Page } from '@playwright/test';

import { redeem } from './support/access';
import { e2eAdmin, signIn } from './support/callers';
import { expect, test } from './support/test';

const password = 'another long password';

async function openMembers(page: Page): Promise<void> {
  await page.goto('/settings/members');
  await expect(page.locator('[data-liveness="live"]')).toBeVisible();
}

function memberRow(page: Page, email: string): Locator {
  return page.locator(`[data-member="${email}"]`);
}

test('a person is invited, comes by the link, gets another role and is removed', async ({
  page,
  admin,
  group,
}) => {
  const email = `${group}@example.com`;
  await openMembers(page);
  await page.getByRole('button', { name: 'Invite…' }).click();
  const invite = page.getByRole('dialog', { name: 'Invite a person' });
  await invite.getByRole('button', { name: 'Invite', exact: true }).click();
  await expect(invite.getByText('That is not an e-mail address')).toBeVisible();
  await invite.getByLabel('E-mail address').fill(email);
  await invite.getByRole('radio', { name: 'Viewer' }).check();
  await invite.getByRole('button', { name: 'Invite', exact: true }).click();

  const shown = page.getByRole('dialog', { name: 'One-time link' });
  await expect(shown.getByText(/It works once, until .+ UTC/)).toBeVisible();
  const link = await shown.getByRole('group', { name: 'Link' }).innerText();
  await shown.getByRole('button', { name: 'Done' }).click();
  await expect(shown.getByRole('alert')).toContainText('Not copied yet.');
  await shown.getByRole('button', { name: 'Go back' }).click();
  await shown.getByRole('button', { name: 'Copy the link' }).click();
  await shown.getByRole('button', { name: 'Done' }).click();
  const row = memberRow(page, email);
  await expect(row).toContainText('Invited, not yet here');

  await redeem(admin.baseUrl, link, password);
  const session = await signIn(admin.baseUrl, { email, password });
  await expect(row).toContainText('password');

  await row.getByRole('button', { name: /^Change the role/ }).click();
  const role = page.getByRole('alertdialog', { name: 'Change the role' });
  await expect(role.getByRole('radio', { name: 'Viewer' })).toBeChecked();
  await role.getByRole('radio', { name: 'Operator' }).check();
  await expect(role.getByText('It counts with the next request')).toBeVisible();
  await role.getByRole('button', { name: 'Change role' }).click();
  await expect(row).toContainText('Operator');

  await row.getByRole('button', { name: /^Remove/ }).click();
  const remove = page.getByRole('alertdialog', { name: 'Remove this member' });
  await expect(remove.getByText('They are signed out at once everywhere')).toBeVisible();
  await remove.getByRole('button', { name: 'Remove', exact: true }).click();
  await expect(row).toHaveCount(0);
  const me = await fetch(`${admin.baseUrl}/api/me`, {
    headers: { cookie: `${session.name}=${session.value}` },
  });
  expect(me.status).toBe(401);
});

test('an address that is taken is said at its field', async ({ page }) => {
  await openMembers(page);
  await page.getByRole('button', { name: 'Invite…' }).click();
  const invite = page.getByRole('dialog', { name: 'Invite a person' });
  await invite.getByLabel('E-mail address').fill(e2eAdmin.email);
  await invite.getByRole('button', { name: 'Invite', exact: true }).click();
  await expect(invite.getByLabel('E-mail address')).toBeFocused();
  await expect(invite.getByLabel('E-mail address')).toHaveAccessibleDescription(
    new RegExp(`${e2eAdmin.email} belongs to a member already`),
  );
  await expect(invite.getByLabel('E-mail address')).toHaveValue(e2eAdmin.email);
});

test('a new link is made for who lost the password, and says what it ends', async ({
  page,
  admin,
  group,
}) => {
  const email = `${group}@example.com`;
  await admin.addMember(email, 'viewer', password);
  await openMembers(page);
  await memberRow(page, email)
    .getByRole('button', { name: /^Make a new link/ })
    .click();
  const question = page.getByRole('alertdialog', { name: 'Make a new link' });
  await expect(question.getByText('signs the member out everywhere')).toBeVisible();
  await question.getByRole('button', { name: 'Make link' }).click();
  const shown = page.getByRole('dialog', { name: 'One-time link' });
  const link = await shown.getByRole('group', { name: 'Link' }).innerText();
  await redeem(admin.baseUrl, link, 'a third long password');
  await signIn(admin.baseUrl, { email, password: 'a third long password' });
});

test('the last admin stays, and the page says why', async ({ page, admin, group }) => {
  await openMembers(page);
  const own = memberRow(page, e2eAdmin.email);
  await expect(own).toContainText('you');
  await own.getByRole('button', { name: /^Remove/ }).click();
  const remove = page.getByRole('alertdialog', { name: 'Remove this member' });
  await expect(remove.getByText('This is the last admin who can sign in.')).toBeVisible();
  await expect(remove.getByRole('button', { name: 'Remove', exact: true })).toHaveCount(0);
  await remove.getByRole('button', { name: 'Close' }).click();

  // A second admin goes while the page shows both: then it is the server that refuses.
  const other = await admin.addMember(`${group}@example.com`, 'admin', password);
  await expect(memberRow(page, `${group}@example.com`)).toContainText('password');
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await own.getByRole('button', { name: /^Change the role/ }).click();
  const role = page.getByRole('alertdialog', { name: 'Change the role' });
  await role.getByRole('radio', { name: 'Viewer' }).check();
  await expect(role.getByText('That is your own role')).toBeVisible();
  await admin.remove(other.id);
  await role.getByRole('button', { name: 'Change role' }).click();
  await expect(role.getByText('This is the last admin who can sign in.')).toBeVisible();
});

test('who is no admin is told so, and by which role', async ({ page, context, admin, group }) => {
  for (const role of ['viewer', 'operator'] as const) {
    const email = `${group}-${role}@example.com`;
    await admin.addMember(email, role, password);
    await context.clearCookies();
    await context.addCookies([await signIn(admin.baseUrl, { email, password })]);
    for (const path of ['/keys', '/settings/members']) {
      await page.goto(path);
      await expect(page.getByRole('heading', { name: 'Needs the admin role' })).toBeVisible();
      await expect(page.getByText(`You are signed in as ${email}`)).toContainText(
        role === 'viewer' ? 'Viewer' : 'Operator',
      );
      const admins = page.getByRole('main').getByRole('listitem');
      await expect(admins.filter({ hasText: e2eAdmin.email })).toBeVisible();
      await expect(admins.filter({ hasText: email })).toHaveCount(0);
      await expect(page.getByRole('alert').filter({ hasText: /./ })).toHaveCount(0);
      await expect(page.getByRole('table')).toHaveCount(0);
    }
  }
});
