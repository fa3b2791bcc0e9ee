import { expect, openList, rowOf, stateOf, test } from './support/test';

test('a lock appears in the list when it is acquired', async ({ page, api, group }) => {
  await openList(page, group);
  await expect(page.getByRole('status').filter({ hasText: 'No locks' })).toBeVisible();

  const lock = await api.acquire(`${group}/report`, { owner: 'worker-1', ttlMs: 600_000 });

  const row = rowOf(page, lock.resource);
  await expect(stateOf(row)).toHaveText('Held');
  await expect(row).toContainText('worker-1');
  await expect(row).toContainText(String(lock.fencing_token));
  await expect(page.getByRole('main')).toContainText('1 held. 0 expired.');
});

test('a lock is seen to expire, and the counts follow', async ({ page, api, group }) => {
  await api.acquire(`${group}/short`, { owner: 'worker-1', ttlMs: 6_000 });
  await openList(page, group);
  const row = rowOf(page, `${group}/short`);
  await expect(stateOf(row)).toHaveText(/Held|Expiring/);

  await expect(stateOf(row)).toHaveText('Expired');
  await expect(row).toContainText('−');
  await expect(page.getByRole('button', { name: 'Expired 1' })).toBeVisible();
});

test('at zero the browser does not decide: it says "ending…" until the server has', async ({
  page,
  api,
  group,
}) => {
  await openList(page, group);
  await api.acquire(`${group}/ending`, { owner: 'worker-1', ttlMs: 7_000 });
  const row = rowOf(page, `${group}/ending`);
  await expect(row).toBeVisible();
  // From here on no answer comes, and none is refused either.
  await page.route('**/api/locks?*', () => undefined);

  await expect(row).toContainText('ending…');
  await expect(stateOf(row)).toHaveText(/Held|Expiring/);
});

test('nothing moves under the hand: new locks wait, lost ones stay and say so', async ({
  page,
  api,
  group,
}) => {
  await api.acquire(`${group}/b`, { owner: 'worker-b', ttlMs: 600_000 });
  await api.acquire(`${group}/d`, { owner: 'worker-d', ttlMs: 600_000 });
  await openList(page, group, '&sort=resource');
  await rowOf(page, `${group}/b`).hover();

  await api.acquire(`${group}/a`, { owner: 'worker-a', ttlMs: 600_000 });
  await api.release(`${group}/d`, 'worker-d');

  const show = page.getByRole('button', { name: '1 new · show' });
  await expect(show).toBeVisible();
  await expect(rowOf(page, `${group}/a`)).toHaveCount(0);
  await expect(rowOf(page, `${group}/d`)).toContainText(/Released \d+ s ago/);

  await show.click();
  await expect(rowOf(page, `${group}/a`)).toBeVisible();
  await expect(rowOf(page, `${group}/d`)).toHaveCount(0);
});

test('pause stops every request, and survives a reload', async ({ page, api, group }) => {
  await api.acquire(`${group}/a`, { owner: 'worker-a', ttlMs: 600_000 });
  await page.clock.install();
  await openList(page, group);
  await expect(rowOf(page, `${group}/a`)).toBeVisible();
  let asked = 0;
  page.on('request', (request) => {
    if (request.url().includes('/api/')) asked += 1;
  });
  await page.clock.runFor(10_000);
  await expect.poll(() => asked).toBeGreaterThan(0);

  await page.getByRole('button', { name: 'Pause' }).click();
  await expect(page.locator('[data-liveness="paused"]')).toContainText(/Paused at \d\d:\d\d:\d\d/);
  await page.waitForLoadState('networkidle');
  asked = 0;
  await page.clock.runFor(120_000);
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
  await page.clock.runFor(10_000);
  expect(asked).toBe(0);

  await page.reload();
  await expect(page.locator('[data-liveness="paused"]')).toBeVisible();
});

test('while the server does not answer, the last data stays with its time', async ({
  page,
  api,
  group,
}) => {
  await api.acquire(`${group}/a`, { owner: 'worker-a', ttlMs: 600_000 });
  await openList(page, group);
  await expect(rowOf(page, `${group}/a`)).toBeVisible();

  await page.route('**/api/**', (route) => route.abort());

  await expect(page.locator('[data-liveness="reconnecting"]')).toContainText(
    /Reconnecting, showing \d\d:\d\d:\d\d/,
  );
  await expect(page.getByRole('main').getByRole('alert')).toContainText(
    'The server can’t be reached.',
  );
  await expect(rowOf(page, `${group}/a`)).toBeVisible();

  // Pressed while there is no answer yet: once there is, the page may come back by itself before the press.
  const asked = page.waitForRequest('**/api/locks?**');
  await page.getByRole('button', { name: 'Try again' }).click();
  await asked;
  await page.unroute('**/api/**');
  await expect(page.locator('[data-liveness="live"]')).toBeVisible();
});

test('search, sort, tab and filter are in the URL and survive a reload', async ({
  page,
  api,
  group,
}) => {
  await api.acquire(`${group}/apple`, { owner: 'worker-1', ttlMs: 600_000 });
  await api.acquire(`${group}/apricot`, { owner: 'worker-2', ttlMs: 500_000 });
  await api.acquire(`${group}/banana`, { owner: 'worker-1', ttlMs: 400_000 });
  await openList(page, group);

  await page.keyboard.press('/');
  await page.keyboard.type('ap');
  await expect(rowOf(page, `${group}/banana`)).toHaveCount(0);
  await page.getByRole('button', { name: 'Lock', exact: true }).click();
  await page.getByRole('button', { name: 'Lock', exact: true }).click();
  await page.getByRole('button', { name: /^Held/ }).click();
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByLabel('Field').selectOption('owner');
  await page.getByLabel('Value').fill('worker-2');
  await page.getByRole('button', { name: 'Apply' }).click();

  const check = async () => {
    await expect(rowOf(page, `${group}/apricot`)).toBeVisible();
    await expect(rowOf(page, `${group}/apple`)).toHaveCount(0);
    await expect(page.getByRole('searchbox')).toHaveValue('ap');
    await expect(page.getByRole('columnheader', { name: /^Lock/ })).toHaveAttribute(
      'aria-sort',
      'descending',
    );
    const url = new URL(page.url());
    expect(Object.fromEntries(url.searchParams)).toEqual({
      prefix: group,
      q: 'ap',
      sort: '-resource',
      state: 'held',
      owner: 'worker-2',
    });
  };
  await check();
  await page.reload();
  await check();
});
