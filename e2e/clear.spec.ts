import { soonOver } from './support/api';
import { expect, historyOf, openList, openLock, rowOf, stateOf, test } from './support/test';

test('an expired lock is cleared from its row, and its history stays', async ({
  page,
  api,
  group,
}) => {
  const resource = `${group}/left-behind`;
  await api.acquire(resource, { owner: 'worker-2b11', ttlMs: soonOver });
  await openList(page, group);
  const row = rowOf(page, resource);
  await expect(stateOf(row)).toHaveText('Expired');

  await row.hover();
  await row.getByRole('button', { name: 'Clear ' }).click();
  const popover = page.getByRole('dialog', { name: 'Clear this expired lock?' });
  await expect(popover).toContainText('worker-2b11’s lease ended');
  await popover.getByRole('button', { name: 'Clear' }).click();

  await expect(row).toHaveCount(0);
  expect(await api.inspect(resource)).toBeNull();
  await openLock(page, resource);
  await expect(page.getByText('No lock by this name now.')).toBeVisible();
  await expect(historyOf(page, 'cleared')).toContainText('worker-2b11');
  await expect(historyOf(page, 'acquired')).toContainText('worker-2b11');
});

test('a lock acquired while its clearing is asked about is not cleared', async ({
  page,
  api,
  group,
}) => {
  const resource = `${group}/came-back`;
  await api.acquire(resource, { owner: 'worker-1', ttlMs: soonOver });
  await openLock(page, resource);
  await page.getByRole('button', { name: 'Clear' }).click();
  const popover = page.getByRole('dialog', { name: 'Clear this expired lock?' });
  await expect(popover).toContainText('Nobody holds it');

  const lock = await api.acquire(resource, { owner: 'worker-9a01', ttlMs: 300_000 });

  await expect(popover).toContainText(
    /Acquired \d+ s ago by worker-9a01\. There is nothing to clear\./,
  );
  await expect(popover.getByRole('button', { name: 'Clear' })).toHaveCount(0);
  expect((await api.inspect(resource))?.fencing_token).toBe(lock.fencing_token);
});

test('clearing a selection leaves live locks out and says so', async ({ page, api, group }) => {
  await api.acquire(`${group}/old-1`, { owner: 'worker-1', ttlMs: soonOver });
  await api.acquire(`${group}/old-2`, { owner: 'worker-2', ttlMs: soonOver });
  const live = await api.acquire(`${group}/live`, { owner: 'worker-3', ttlMs: 300_000 });
  await openList(page, group);
  await expect(page.getByRole('button', { name: 'Expired 2' })).toBeVisible();

  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByRole('checkbox', { name: 'Select all that are shown' }).check();
  await page.getByRole('button', { name: 'Clear selected…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Clear 2 expired locks?' });
  await expect(dialog).toContainText('1 selected lock is in use and is left out.');
  // One of the two is acquired again before the button is pressed, and the page has not heard of it.
  await api.acquire(`${group}/old-2`, { owner: 'worker-4', ttlMs: 300_000 });
  await dialog.getByRole('button', { name: 'Clear', exact: true }).click();

  await expect(page.getByRole('dialog', { name: 'Cleared' })).toContainText(
    '1 cleared, 1 skipped because they were acquired again.',
  );
  expect(await api.inspect(`${group}/old-1`)).toBeNull();
  expect((await api.inspect(`${group}/old-2`))?.owner).toBe('worker-4');
  expect((await api.inspect(`${group}/live`))?.fencing_token).toBe(live.fencing_token);
});

test('a selected lock that is acquired anew drops out of the selection', async ({
  page,
  api,
  group,
}) => {
  const resource = `${group}/selected`;
  await api.acquire(resource, { owner: 'worker-1', ttlMs: soonOver });
  await openList(page, group);
  await expect(stateOf(rowOf(page, resource))).toHaveText('Expired');
  await rowOf(page, resource).getByRole('checkbox').check();
  await expect(page.getByText('1 selected')).toBeVisible();

  await api.acquire(resource, { owner: 'worker-2', ttlMs: 300_000 });

  await expect(page.getByRole('button', { name: 'Clear selected…' })).toHaveCount(0);
  await expect(page.getByText('was acquired again and is no longer selected.')).toBeAttached();
});

test('all that match are selected in two steps, and cleared in one', async ({
  page,
  api,
  group,
}) => {
  const names = Array.from({ length: 120 }, (_, index) => `${group}/old-${index}`);
  await Promise.all(names.map((name) => api.acquire(name, { owner: 'worker-1', ttlMs: soonOver })));
  await openList(page, group, '&state=expired');
  await expect(page.getByRole('button', { name: 'Expired 120' })).toBeVisible();

  await page.getByRole('checkbox', { name: 'Select all that are shown' }).check();
  await expect(page.getByText('100 selected')).toBeVisible();
  await page.getByRole('button', { name: 'Select all 120 matching' }).click();
  await page.getByRole('button', { name: 'Clear selected…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Clear 120 expired locks?' });
  await expect(dialog).toContainText(`with prefix ${group}. Any acquired since then are skipped.`);
  await dialog.getByRole('button', { name: 'Clear', exact: true }).click();

  await expect(page.getByRole('dialog', { name: 'Cleared' })).toContainText('120 cleared.');
  expect(await api.inspect(`${group}/old-119`)).toBeNull();
});
