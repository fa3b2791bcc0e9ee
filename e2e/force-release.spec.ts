import type { Page } from '@playwright/test';

import { expect, historyOf, openList, openLock, rowOf, test } from './support/test';

const dialogName = 'Force-release a lock that is in use';

function dialogOf(page: Page) {
  return page.getByRole('alertdialog', { name: dialogName });
}

async function openDialog(page: Page, resource: string) {
  if (new URL(page.url()).pathname !== `/locks/${encodeURIComponent(resource)}`) {
    await openLock(page, resource);
  }
  await page.getByRole('button', { name: 'Force-release…' }).click();
  const dialog = dialogOf(page);
  await expect(dialog.getByRole('button', { name: 'Keep the lock' })).toBeFocused();
  return dialog;
}

test('a live lock is force-released with a reason and its typed name, and stays closed for what was left', async ({
  page,
  api,
  group,
}) => {
  const resource = `${group}/settlement`;
  await api.acquire(resource, { owner: 'worker-7f9c', ttlMs: 300_000 });
  const dialog = await openDialog(page, resource);
  await expect(dialog).toContainText('worker-7f9c is not stopped.');
  await expect(dialog).toContainText('This can’t be undone.');

  await dialog.getByLabel('Reason').fill('INC-2291 wedged after deploy');
  await dialog.getByLabel(/^Type/).fill('settlement');
  await expect(dialog.getByText('Matches')).toBeVisible();
  await dialog.getByRole('button', { name: 'Force-release' }).click();

  const toast = page.getByRole('dialog').filter({ hasText: 'Released. Closed until' });
  await expect(toast).toContainText('worker-7f9c has not noticed yet.');
  const closed = await api.inspect(resource);
  expect(closed?.condition).toBe('closed');
  expect(closed?.remaining_ms).toBeGreaterThan(250_000);

  expect(await api.renew(resource, { owner: 'worker-7f9c', ttlMs: 30_000 })).toBe(false);
  await expect(toast).toContainText(/worker-7f9c noticed at \d\d:\d\d:\d\d\./);
  await expect(historyOf(page, 'force_released')).toContainText('INC-2291 wedged after deploy');
  await expect(historyOf(page, 'noticed')).toBeVisible();
});

test('a wrong confirmation or a wrong reason releases nothing, neither by button nor by Enter', async ({
  page,
  api,
  group,
}) => {
  const resource = `${group}/careful`;
  const lock = await api.acquire(resource, { owner: 'worker-1', ttlMs: 300_000 });
  const dialog = await openDialog(page, resource);
  const button = dialog.getByRole('button', { name: 'Force-release' });
  const reason = dialog.getByLabel('Reason');
  const confirmation = dialog.getByLabel(/^Type/);

  await reason.fill('host gone');
  await confirmation.fill('carefu');
  await expect(dialog.getByText('No match')).toBeVisible();
  await expect(button).toBeDisabled();
  await confirmation.press('Enter');

  await confirmation.fill('careful');
  await reason.fill('no');
  await expect(dialog.getByText('3 to 500 characters on one line.')).toBeVisible();
  await expect(button).toBeDisabled();
  await reason.press('Enter');
  await button.click({ force: true });

  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  expect((await api.inspect(resource))?.fencing_token).toBe(lock.fencing_token);
  expect(await api.kinds(resource)).toEqual(['acquired']);
});

test('the reason chips write into the field, 0 s is said to be dangerous', async ({
  page,
  api,
  group,
}) => {
  const resource = `${group}/chips`;
  await api.acquire(resource, { owner: 'worker-1', ttlMs: 300_000 });
  const dialog = await openDialog(page, resource);
  await dialog.getByRole('button', { name: 'Holder crashed' }).click();
  await expect(dialog.getByLabel('Reason')).toHaveValue('Holder crashed');
  await dialog.getByRole('button', { name: 'Host gone' }).click();
  await expect(dialog.getByLabel('Reason')).toHaveValue('Host gone');

  const holdOff = dialog.getByLabel('How long the lock stays closed');
  await holdOff.selectOption('60');
  await expect(dialog).toContainText('That is shorter than what is left of the lease');
  await holdOff.selectOption('0');
  await expect(dialog).toContainText(
    'Anyone can take it at once, while worker-1 may still be working.',
  );
  await dialog.getByLabel(/^Type/).fill('chips');
  await dialog.getByRole('button', { name: 'Force-release' }).click();
  await expect(page.getByText('Anyone can take it now.')).toBeVisible();
  expect(await api.inspect(resource)).toBeNull();
});

test('a lock acquired anew while the dialog is open is left alone, and the dialog says who has it', async ({
  page,
  api,
  group,
}) => {
  const resource = `${group}/moving`;
  await api.acquire(resource, { owner: 'worker-7f9c', ttlMs: 300_000 });
  const dialog = await openDialog(page, resource);
  await dialog.getByLabel('Reason').fill('host gone');
  await dialog.getByLabel(/^Type/).fill('moving');

  await api.release(resource, 'worker-7f9c');
  const taken = await api.acquire(resource, { owner: 'worker-9a01', ttlMs: 300_000 });

  await expect(dialog.getByRole('alert')).toContainText(
    /Changed \d+ s ago: worker-7f9c released it and worker-9a01 holds it now \(fence \d+\)\. Nothing was released\./,
  );
  await expect(dialog.getByRole('button', { name: 'Force-release' })).toHaveCount(0);
  await dialog.getByRole('link', { name: 'Look at ⁨worker-9a01⁩’s lease' }).click();
  await expect(dialog).toBeHidden();
  expect((await api.inspect(resource))?.fencing_token).toBe(taken.fencing_token);
});

test('when the page has not seen the change yet, the server refuses and the answer is shown', async ({
  page,
  api,
  group,
}) => {
  const resource = `${group}/stale`;
  await api.acquire(resource, { owner: 'worker-7f9c', ttlMs: 300_000 });
  const dialog = await openDialog(page, resource);
  await dialog.getByLabel('Reason').fill('host gone');
  await dialog.getByLabel(/^Type/).fill('stale');
  // What the page reads of the lock stands still from here on.
  await page.route('**/api/locks/*include=expired', (route) => route.abort());

  await api.release(resource, 'worker-7f9c');
  const taken = await api.acquire(resource, { owner: 'worker-9a01', ttlMs: 300_000 });
  await dialog.getByRole('button', { name: 'Force-release' }).click();

  await expect(dialog.getByRole('alert')).toContainText('worker-9a01 holds it now');
  expect((await api.inspect(resource))?.fencing_token).toBe(taken.fencing_token);
});

test('a lease that runs out under the dialog can be cleared from it', async ({
  page,
  api,
  group,
}) => {
  const resource = `${group}/running-out`;
  await openLock(page, resource);
  await api.acquire(resource, { owner: 'worker-1', ttlMs: 10_000 });
  const dialog = await openDialog(page, resource);
  await expect(dialog).toContainText(
    'The lease ran out while you were reading. It can be cleared now.',
  );
  await dialog.getByRole('button', { name: 'Clear' }).click();
  await expect(historyOf(page, 'cleared')).toBeVisible();
  expect(await api.inspect(resource)).toBeNull();
});

test('an answer that got lost is made up for by reading the history', async ({
  page,
  api,
  group,
}) => {
  const resource = `${group}/lost-answer`;
  await api.acquire(resource, { owner: 'worker-1', ttlMs: 300_000 });
  const dialog = await openDialog(page, resource);
  await page.route('**/force-release', async (route) => {
    await route.fetch();
    await route.abort();
  });
  await dialog.getByLabel('Reason').fill('host gone');
  await dialog.getByLabel(/^Type/).fill('lost-answer');
  await dialog.getByRole('button', { name: 'Force-release' }).click();

  await expect(page.getByText(/Released at \d\d:\d\d:\d\d\./)).toBeVisible();
  expect(await api.kinds(resource)).toContain('force_released');
});

test('a request that got lost is said to have released nothing', async ({ page, api, group }) => {
  const resource = `${group}/lost-request`;
  const lock = await api.acquire(resource, { owner: 'worker-1', ttlMs: 300_000 });
  const dialog = await openDialog(page, resource);
  await page.route('**/force-release', (route) => route.abort());
  await dialog.getByLabel('Reason').fill('host gone');
  await dialog.getByLabel(/^Type/).fill('lost-request');
  await dialog.getByRole('button', { name: 'Force-release' }).click();

  await expect(dialog.getByRole('alert')).toContainText('Not released');
  expect((await api.inspect(resource))?.fencing_token).toBe(lock.fencing_token);
});

test('the keyboard alone is enough', async ({ page, api, group }) => {
  const resource = `${group}/by-keys`;
  await api.acquire(resource, { owner: 'worker-1', ttlMs: 300_000 });
  await openList(page, group);
  await expect(rowOf(page, resource)).toBeVisible();

  await page.keyboard.press('j');
  await expect(rowOf(page, resource).getByRole('link')).toBeFocused();
  await page.keyboard.press('r');
  const dialog = dialogOf(page);
  await expect(dialog.getByRole('button', { name: 'Keep the lock' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
  await expect(rowOf(page, resource).getByRole('link')).toBeFocused();

  await page.keyboard.press('r');
  await expect(dialog.getByRole('button', { name: 'Keep the lock' })).toBeFocused();
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.type('by-keys');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.type('pressed by keys');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Released. Closed until')).toBeVisible();
  expect(await api.kinds(resource)).toContain('force_released');
});
