import type { Page } from '@playwright/test';

import type { Credentials } from './support/callers';
import { become } from './support/people';
import { expect, openList, openLock, rowOf, test } from './support/test';

/** A session that ends while somebody works. */

function again(page: Page) {
  return page.getByRole('dialog', { name: 'You have been signed out' });
}

async function signInAgain(page: Page, { email, password }: Credentials) {
  await again(page).getByLabel('E-mail').fill(email);
  await again(page).getByLabel('Password', { exact: true }).fill(password);
  await again(page).getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** How many writes to locks the page has sent. */
function writesOf(page: Page): string[] {
  const writes: string[] = [];
  page.on('request', (request) => {
    const isLock = new URL(request.url()).pathname.startsWith('/api/locks/');
    if (isLock && request.method() !== 'GET') writes.push(request.url());
  });
  return writes;
}

test('a dialog keeps what was typed when the session ends beneath it, and sends nothing by itself', async ({
  page,
  api,
  people,
  group,
}) => {
  const member = await people.add('operator');
  const session = await become(page, people, member);
  const resource = `${group}/held`;
  const lock = await api.acquire(resource, { owner: 'worker-1', ttlMs: 300_000 });
  await openLock(page, resource);
  await page.getByRole('button', { name: 'Force-release…' }).click();
  const dialog = page.getByRole('alertdialog');
  const word = await dialog.locator('label strong').innerText();
  await dialog.getByLabel('Reason').fill('settlement is stuck');
  await dialog.getByLabel(/^Type/).fill(word);
  await dialog.getByLabel('How long the lock stays closed').selectOption('0');
  const writes = writesOf(page);

  await people.end(session);
  await expect(again(page)).toBeVisible();
  // The page beneath can be neither reached nor closed.
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  await expect(again(page)).toBeVisible();
  await expect(again(page).getByLabel('E-mail')).toHaveValue(member.email);
  await again(page).getByLabel('Password', { exact: true }).fill('not the password');
  await page.keyboard.press('Enter');
  await expect(again(page).getByText('is wrong')).toBeVisible();
  await signInAgain(page, member);

  await expect(again(page)).toHaveCount(0);
  await expect(page.locator('[data-liveness="live"]')).toBeAttached();
  await expect(dialog.getByLabel('Reason')).toHaveValue('settlement is stuck');
  await expect(dialog.getByLabel(/^Type/)).toHaveValue(word);
  expect(writes).toEqual([]);
  expect((await api.inspect(resource))?.fencing_token).toBe(lock.fencing_token);

  await dialog.getByRole('button', { name: 'Force-release' }).click();
  await expect(dialog).toHaveCount(0);
  expect(writes).toHaveLength(1);
  expect(await api.inspect(resource)).toBeNull();
});

test('an action that finds the session over is not sent again by the sign-in', async ({
  page,
  api,
  people,
  group,
}) => {
  const member = await people.add('operator');
  const session = await become(page, people, member);
  const resource = `${group}/held`;
  const lock = await api.acquire(resource, { owner: 'worker-1', ttlMs: 300_000 });
  await openLock(page, resource);
  await page.getByRole('button', { name: 'Ask holder to release…' }).click();
  const ask = page.getByRole('dialog', { name: 'Ask the holder to release' });
  await ask.getByLabel('Reason').fill('deploy waits');
  // Reads that come first would notice it: the write is to be the first to.
  await page.route('**/api/**', (route) =>
    route.request().method() === 'GET' ? route.abort() : route.continue(),
  );
  const writes = writesOf(page);
  await people.end(session);
  await ask.getByRole('button', { name: 'Ask', exact: true }).click();
  await expect(again(page)).toBeVisible();
  await page.unroute('**/api/**');
  await signInAgain(page, member);

  await expect(again(page)).toHaveCount(0);
  await expect(ask.getByLabel('Reason')).toHaveValue('deploy waits');
  await expect(ask.getByText('Not asked.')).toBeVisible();
  await expect(page.locator('[data-liveness="live"]')).toBeAttached();
  expect(writes).toHaveLength(1);
  expect((await api.inspect(resource))?.release_requested).toBeNull();
  expect((await api.inspect(resource))?.fencing_token).toBe(lock.fencing_token);
});

test('a question beside a row keeps its reason, too', async ({ page, api, people, group }) => {
  const member = await people.add('operator');
  const session = await become(page, people, member);
  const resource = `${group}/over`;
  await api.acquire(resource, { owner: 'worker-1', ttlMs: 1_500 });
  await openList(page, group, '&state=all');
  const row = rowOf(page, resource);
  await expect(row.locator('[data-state="expired"]')).toBeVisible();
  await row.hover();
  await row.getByRole('button', { name: 'Clear' }).click();
  await page.getByRole('button', { name: '+ Add a reason' }).click();
  await page.getByLabel('Reason').fill('left over');
  await people.end(session);
  await expect(again(page)).toBeVisible();
  await again(page).getByLabel('Password', { exact: true }).fill(member.password);
  await page.keyboard.press('Enter');
  await expect(again(page)).toHaveCount(0);
  await expect(page.getByLabel('Reason')).toHaveValue('left over');
  expect((await api.inspect(resource))?.state).toBe('expired');
});

test('who signs in as another person is told, before anything goes on record under that name', async ({
  page,
  api,
  people,
  group,
}) => {
  const [before, now] = [await people.add('operator'), await people.add('viewer')];
  const session = await become(page, people, before);
  const resource = `${group}/held`;
  await api.acquire(resource, { owner: 'worker-1', ttlMs: 300_000 });
  await openLock(page, resource);
  await page.getByRole('button', { name: 'Force-release…' }).click();
  const dialog = page.getByRole('alertdialog');
  await dialog.getByLabel('Reason').fill('settlement is stuck');
  await people.end(session);
  await signInAgain(page, now);

  const another = page.getByRole('dialog', { name: 'You are another person now' });
  await expect(another.getByText(before.email)).toBeVisible();
  await expect(another.getByText(now.email)).toBeVisible();
  await another.getByRole('button', { name: `Go on as ${now.name}` }).click();
  await expect(another).toHaveCount(0);
  await expect(dialog.getByLabel('Reason')).toHaveValue('settlement is stuck');
});

test('a session that another tab opens is noticed', async ({ page, people }) => {
  const member = await people.add('viewer');
  const session = await become(page, people, member);
  await page.goto('/locks');
  await expect(page.locator('[data-liveness="live"]')).toBeVisible();
  await people.end(session);
  await expect(again(page)).toBeVisible();
  await page.context().addCookies([await people.session(member)]);
  await expect(again(page)).toHaveCount(0);
});
