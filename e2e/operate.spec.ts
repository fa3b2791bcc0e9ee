import { expect, historyOf, openLock, test } from './support/test';

test('a free resource is held for maintenance, and reopened before its time', async ({
  page,
  api,
  group,
}) => {
  const resource = `${group}/disk`;
  await openLock(page, resource);
  await page.getByRole('button', { name: 'Hold for maintenance…' }).click();
  const hold = page.getByRole('dialog', { name: 'Hold for maintenance' });
  await hold.getByLabel('Hold it for').selectOption('900');
  await hold.getByLabel('Reason').fill('disk swap');
  await hold.getByRole('button', { name: 'Hold', exact: true }).click();

  await expect(page.getByText(/Closed by .+ until \d\d:\d\d:\d\d: ‘disk swap’\./)).toBeVisible();
  const held = await api.inspect(resource);
  expect(held?.held_by_operator?.reason).toBe('disk swap');
  expect(held?.ttl_ms).toBe(900_000);
  await expect(api.acquire(resource, { owner: 'worker-1', ttlMs: 1_000 })).rejects.toThrow();

  await page.getByRole('button', { name: 'Reopen…' }).click();
  const reopen = page.getByRole('dialog', { name: 'Reopen this lock' });
  await reopen.getByLabel('Reason').fill('disk is in');
  await reopen.getByRole('button', { name: 'Reopen', exact: true }).click();
  await expect(page.getByText('No lock by this name now.')).toBeVisible();
  await expect(historyOf(page, 'reopened')).toContainText('disk is in');
});

test('a hold never evicts a lease that began while its dialog was open', async ({
  page,
  api,
  group,
}) => {
  const resource = `${group}/taken`;
  await openLock(page, resource);
  await page.getByRole('button', { name: 'Hold for maintenance…' }).click();
  const hold = page.getByRole('dialog', { name: 'Hold for maintenance' });
  await hold.getByLabel('Reason').fill('disk swap');
  const lock = await api.acquire(resource, { owner: 'worker-1', ttlMs: 300_000 });
  // The page behind the dialog has read the new lease by now.
  await expect(page.getByText('worker-1').first()).toBeAttached();
  await hold.getByRole('button', { name: 'Hold', exact: true }).click();
  await expect(hold.getByText(/Nothing was held/)).toBeVisible();
  const after = await api.inspect(resource);
  expect([after?.owner, after?.fencing_token]).toEqual(['worker-1', lock.fencing_token]);
});

test('a holder is asked to release, and keeps its lock meanwhile', async ({ page, api, group }) => {
  const resource = `${group}/busy`;
  const lock = await api.acquire(resource, { owner: 'worker-1', ttlMs: 300_000 });
  await openLock(page, resource);
  await page.getByRole('button', { name: 'Ask holder to release…' }).click();
  const ask = page.getByRole('dialog', { name: 'Ask the holder to release' });
  await ask.getByLabel('Reason').fill('deploy waits');
  await ask.getByRole('button', { name: 'Ask', exact: true }).click();

  await expect(
    page.getByText(/asked the holder at .+ to release it: ‘deploy waits’/),
  ).toBeVisible();
  const asked = await api.inspect(resource);
  expect(asked?.fencing_token).toBe(lock.fencing_token);
  expect(asked?.release_requested?.reason).toBe('deploy waits');
});
