import type { Locator, Page } from '@playwright/test';

import { statusOf } from './support/access';
import { expectNoOverflow } from './support/looks';
import { expect, openList, rowOf, stateOf, test } from './support/test';

async function openKeys(page: Page, q = ''): Promise<void> {
  await page.goto(`/keys${q === '' ? '' : `?q=${encodeURIComponent(q)}`}`);
  await expect(page.locator('[data-liveness="live"]')).toBeVisible();
}

function keyRow(page: Page, name: string): Locator {
  return page.getByRole('row').filter({ has: page.getByTitle(name, { exact: true }) });
}

function keyState(row: Locator): Locator {
  return row.locator('[data-key-state]');
}

/** The secret that the dialog shows, taken along as a person does. */
async function takeSecret(dialog: Locator): Promise<string> {
  const secret = await dialog.getByRole('group', { name: 'Secret' }).innerText();
  await dialog.getByRole('button', { name: 'Copy the secret' }).click();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await expect(dialog).toHaveCount(0);
  return secret;
}

function acquire(resource: string) {
  const body = JSON.stringify({ owner: 'worker-1', ttl_seconds: 300 });
  return [`/api/locks/${encodeURIComponent(resource)}`, { method: 'POST', body }] as const;
}

test('a key is made, shown once and used, and its lock appears', async ({ page, admin, group }) => {
  await openKeys(page);
  await page.getByRole('button', { name: 'New key…' }).click();
  const create = page.getByRole('dialog', { name: 'New API key' });
  await create.getByLabel('Name').fill(`${group} billing`);
  await expect(create.getByLabel('Client', { exact: true })).toHaveValue(`${group} billing`);
  await create.getByLabel('Client', { exact: true }).fill(`${group}-svc`);
  await create.getByRole('checkbox', { name: 'read', exact: true }).check();
  await create.getByLabel(/^Resources/).fill(`${group}/*`);
  await create.getByLabel('Expires').selectOption('90d');
  await create.getByRole('button', { name: 'Create key' }).click();

  const made = page.getByRole('dialog', { name: 'Key made' });
  await expect(made).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(made.getByRole('alert')).toContainText('Not copied yet.');
  await made.getByRole('button', { name: 'Go back' }).click();
  await expect(made.getByRole('group', { name: 'Try it from a shell' })).toContainText(
    `/api/locks/${group}%2Fhello`,
  );
  const secret = await takeSecret(made);
  await expect(page.getByRole('button', { name: 'New key…' })).toBeFocused();

  const row = keyRow(page, `${group} billing`);
  await expect(keyState(row)).toHaveText('Active');
  await expect(row).toContainText(secret.slice(0, 15));
  await expect(row).toContainText('acquire, read');
  await expect(row).toContainText(/in (89|90) d/);
  expect(await page.content()).not.toContain(secret);

  expect(await statusOf(admin.baseUrl, secret, ...acquire(`${group}/job`))).toBe(200);
  expect(await statusOf(admin.baseUrl, secret, ...acquire('elsewhere'))).toBe(403);
  await expect(row).toContainText('in the last minute');
  await openList(page, group, `&client=${group}-svc`);
  await expect(stateOf(rowOf(page, `${group}/job`))).toHaveText('Held');
});

test('what is wrong with a key is said at its field, and nothing typed is lost', async ({
  page,
  group,
}) => {
  await openKeys(page);
  await page.getByRole('button', { name: 'New key…' }).click();
  const create = page.getByRole('dialog', { name: 'New API key' });
  await create.getByRole('button', { name: 'Create key' }).click();
  await expect(create.getByLabel('Name')).toBeFocused();
  await expect(create.getByLabel('Name')).toHaveAccessibleDescription(/A key needs a name/);

  await create.getByLabel('Name').fill(`${group}@example.com`);
  await expect(create.getByText('No @: it tells people')).toBeVisible();
  await create.getByLabel('Name').fill('Env');
  await expect(create.getByText('The history tells somebody else by this name.')).toBeVisible();
  await create.getByLabel('Name').fill(`${group}\u200b`);
  await expect(create.getByText('none that are not seen')).toBeVisible();
  await create.getByLabel('Name').fill(group);
  const resources = create.getByLabel(/^Resources/);
  await resources.fill(`${group}/*\n\na*b\n${'é'.repeat(257)}`);
  await expect(create.getByText('Line 3: one * alone, and only at the end.')).toBeVisible();
  await expect(create.getByText('Line 4: at most 512 bytes.')).toBeVisible();
  await resources.fill(`${group}/*\n${group}`);
  await expect(create.getByText('1 exact name and 1 prefix.')).toBeVisible();
  await create.getByRole('checkbox', { name: 'acquire' }).uncheck();
  await create.getByRole('button', { name: 'Create key' }).click();
  await expect(create.getByText('Choose at least one scope.')).toBeVisible();
  await create.getByRole('checkbox', { name: 'acquire' }).check();
  await create.getByLabel('Expires').selectOption('date');
  await create.getByLabel('Last day').fill('2020-01-01');
  await create.getByRole('button', { name: 'Create key' }).click();
  await expect(create.getByText('That day is over.')).toBeVisible();
  await expect(create.getByLabel('Name')).toHaveValue(group);
});

test('a value that only the server refuses is told at its field', async ({ page, group }) => {
  await openKeys(page);
  await page.getByRole('button', { name: 'New key…' }).click();
  const create = page.getByRole('dialog', { name: 'New API key' });
  await create.getByLabel('Name').fill(group);
  await create.getByLabel(/^Resources/).fill(`${group}/a\n${group}/b`);
  // The request is sent on with another body: what comes back is the server's own refusal.
  await page.route('**/api/keys', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    const { patterns, ...body } = route.request().postDataJSON() as { patterns: string[] };
    const changed = [patterns[0], '*b*'];
    await route.continue({ postData: JSON.stringify({ ...body, patterns: changed }) });
  });
  await create.getByRole('button', { name: 'Create key' }).click();
  await expect(create.getByLabel(/^Resources/)).toBeFocused();
  await expect(create.getByLabel(/^Resources/)).toHaveAccessibleDescription(
    new RegExp(`${group}/b may have one \\*, at its end`),
  );
  await page.unroute('**/api/keys');
  await create.getByLabel(/^Resources/).fill(`${group}/a`);
  await create.getByRole('button', { name: 'Create key' }).click();
  await expect(page.getByRole('dialog', { name: 'Key made' })).toBeVisible();
});

test('when the answer gets lost the key may be there, and the dialog says so', async ({
  page,
  admin,
  group,
}) => {
  await openKeys(page);
  await page.getByRole('button', { name: 'New key…' }).click();
  const create = page.getByRole('dialog', { name: 'New API key' });
  await create.getByLabel('Name').fill(group);
  await create.getByLabel(/^Resources/).fill('*');
  await expect(create.getByText('* covers every lock.')).toBeVisible();
  await page.route('**/api/keys', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    await route.fetch();
    await route.abort('connectionreset');
  });
  await create.getByRole('button', { name: 'Create key' }).click();
  await expect(create.getByText('The key may have been made.')).toBeVisible();
  await expect(create.getByLabel('Name')).toHaveValue(group);
  await create.getByRole('button', { name: 'Cancel' }).click();
  await expect(keyRow(page, group)).toBeVisible();
  expect((await admin.keys()).filter(({ name }) => name === group)).toHaveLength(1);
});

test('a rotated key has a new secret at once, and the old one works on', async ({
  page,
  admin,
  group,
}) => {
  const { secret: old, key } = await admin.newKey({ name: group });
  await openKeys(page, group);
  await keyRow(page, group)
    .getByRole('button', { name: /^Rotate/ })
    .click();
  const rotate = page.getByRole('dialog', { name: 'Rotate this key' });
  await rotate.getByLabel('The old secret works').selectOption('3600');
  await rotate.getByLabel('Expires').selectOption('30d');
  await rotate.getByRole('button', { name: 'Rotate', exact: true }).click();
  const rotated = page.getByRole('dialog', { name: 'Key rotated' });
  await expect(rotated.getByText(`The old secret, ${key.prefix}…, works until`)).toBeVisible();
  const secret = await takeSecret(rotated);

  expect(await statusOf(admin.baseUrl, old, ...acquire(`${group}/a`))).toBe(200);
  expect(await statusOf(admin.baseUrl, secret, ...acquire(`${group}/b`))).toBe(200);
  const rows = page.getByRole('row').filter({ hasText: group });
  await expect(rows).toHaveCount(2);
  await expect(rows.filter({ hasText: key.prefix })).toContainText(/in (59 min|1 h)/);
  await expect(rows.filter({ hasText: secret.slice(0, 15) })).toContainText(/in (29|30) d/);

  await rows
    .filter({ hasText: key.prefix })
    .getByRole('button', { name: /^Rotate/ })
    .click();
  await rotate.getByLabel('The old secret works').selectOption('0');
  await expect(rotate.getByText('For a secret that has leaked.')).toBeVisible();
  await rotate.getByRole('button', { name: 'Rotate', exact: true }).click();
  await takeSecret(rotated);
  await expect.poll(() => statusOf(admin.baseUrl, old, '/api/me'), { timeout: 5_000 }).toBe(401);
});

test('a key in use is revoked by its name, after what that ends', async ({
  page,
  admin,
  group,
}) => {
  const { secret, key } = await admin.newKey({ name: `${group} deploy`, client: group });
  for (const name of ['a', 'b']) {
    expect(await statusOf(admin.baseUrl, secret, ...acquire(`${group}/${name}`))).toBe(200);
  }
  await openKeys(page, group);
  const row = keyRow(page, `${group} deploy`);
  await expect(row).toContainText('in the last minute');
  await row.getByRole('button', { name: /^Revoke/ }).click();
  const revoke = page.getByRole('alertdialog', { name: 'Revoke this key' });
  await expect(revoke.getByText('was used in the last minute.')).toBeVisible();
  await expect(
    revoke.getByText(
      /holds 2 locks, and no other key can renew them\. Those leases end within (5|4) min/,
    ),
  ).toBeVisible();
  await expect(revoke.getByRole('button', { name: 'Keep the key' })).toBeFocused();
  await revoke.getByRole('button', { name: 'Revoke', exact: true }).click({ force: true });
  expect((await admin.keys()).find(({ id }) => id === key.id)?.state).toBe('active');

  const other = await admin.newKey({ name: `${group} second`, client: group });
  await expect(revoke.getByText(/1 other key of this client can renew them/)).toBeVisible();
  await revoke.getByLabel(/^Type/).fill(await revoke.locator('label strong').innerText());
  await revoke.getByRole('button', { name: 'Revoke', exact: true }).click();
  await expect(revoke).toHaveCount(0);
  await expect(keyState(row)).toHaveText('Revoked');
  await expect.poll(() => statusOf(admin.baseUrl, secret, '/api/me'), { timeout: 5_000 }).toBe(401);
  expect(await statusOf(admin.baseUrl, other.secret, '/api/me')).toBe(200);

  await page.getByRole('button', { name: /^Revoked/ }).click();
  await expect(row).toBeVisible();
  await expect(keyRow(page, `${group} second`)).toHaveCount(0);
});

test('a key that was never used is revoked by one press', async ({ page, admin, group }) => {
  const { key } = await admin.newKey({ name: group });
  await openKeys(page, group);
  await keyRow(page, group)
    .getByRole('button', { name: /^Revoke/ })
    .click();
  const revoke = page.getByRole('alertdialog', { name: 'Revoke this key' });
  await expect(revoke.getByText('has never been used.')).toBeVisible();
  await expect(revoke.getByText('holds no locks.')).toBeVisible();
  await revoke.getByRole('button', { name: 'Revoke', exact: true }).click();
  await expect(keyState(keyRow(page, group))).toHaveText('Revoked');
  expect((await admin.keys()).find(({ id }) => id === key.id)?.state).toBe('revoked');
});

test('hostile names are text, and fit', async ({ page, admin, group }) => {
  const name = `${group}<img src=x onerror=alert(1)>${'w'.repeat(40)}`;
  const client = `${group}\u202e"><script>alert(1)</script>${'é'.repeat(80)}`;
  const patterns = [`${group}/${'long-'.repeat(90)}*`, `<b>${group}</b>`, ...numbered(group, 40)];
  await admin.newKey({ name, client, patterns });
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await openKeys(page, group);
    const row = page.getByRole('row').filter({ hasText: group });
    await expect(row).toContainText('<img src=x onerror=alert(1)>');
    await expect(page.locator('main img, main script')).toHaveCount(0);
    await expectNoOverflow(page);
    await row.getByRole('button', { name: '+41' }).click();
    await expect(page.getByRole('dialog', { name: '42 patterns' })).toContainText(
      `<b>${group}</b>`,
    );
    await expectNoOverflow(page);
    await page.keyboard.press('Escape');
    for (const button of ['Rotate', 'Revoke']) {
      await row.getByRole('button', { name: new RegExp(`^${button}`) }).click();
      await expect(page.locator('[data-overlay]')).toContainText('onerror=alert(1)');
      await expectNoOverflow(page);
      await page.keyboard.press('Escape');
    }
  }
});

test('a secret that is searched for finds its key and stays out of the address', async ({
  page,
  admin,
  group,
}) => {
  const { secret, key } = await admin.newKey({ name: group });
  await openKeys(page);
  await page.getByRole('searchbox').fill(secret);
  await expect(page.getByRole('searchbox')).toHaveValue(key.prefix);
  await expect(page.getByRole('row')).toHaveCount(2);
  await expect(keyRow(page, group)).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`q=${key.prefix}$`));
});

function numbered(group: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${group}/${index}`);
}
