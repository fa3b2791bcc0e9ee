import AxeBuilder from '@axe-core/playwright';

import { expectNoOverflow, setTheme } from './support/looks';
import { expect, openList, openLock, rowOf, test } from './support/test';

/** Who is in whose way, as an operator sees it. */

test('the list and the lock tell who asks, and since when', async ({ page, api, group }) => {
  const { resource } = await api.acquire(`${group}/busy`, { owner: 'holder', ttlMs: 300_000 });
  for (const owner of ['asker-1', 'asker-2', 'asker-1']) {
    await expect(api.acquire(resource, { owner, ttlMs: 1_000 })).rejects.toThrow('is held by');
  }
  await openList(page, group, '&state=asked');
  await expect(rowOf(page, resource)).toContainText('2 asking');

  await openLock(page, resource);
  const asking = page.getByRole('region', { name: 'Asking 2' });
  const rows = asking.getByRole('row').filter({ hasText: 'asker' });
  await expect(rows).toHaveCount(2);
  await expect(rows.filter({ hasText: 'asker-1' }).getByRole('cell').nth(2)).toHaveText('2');
  await expect(page.getByText('2 asking')).toBeVisible();

  await api.release(resource, 'holder');
  await api.acquire(resource, { owner: 'asker-1', ttlMs: 300_000 });
  await expect(page.getByRole('region', { name: 'Asking 1' })).toContainText('asker-2');
});

test('a lease stands beside what is usual, and is not said never to renew', async ({
  page,
  api,
  group,
}) => {
  const resource = `${group}/usual`;
  for (let lease = 0; lease < 3; lease += 1) {
    await api.acquire(resource, { owner: 'short', ttlMs: 60_000 });
    await api.release(resource, 'short');
  }
  await api.acquire(resource, { owner: 'long', ttlMs: 300_000 });
  await openLock(page, resource);
  const usual = page.getByRole('region', { name: 'Usual here' });
  await expect(usual).toContainText(/Held .*, usually \d+ (ms|s)/);
  await expect(usual).toContainText('Not renewed yet');
  await expect(usual).toContainText('In 7 days: acquired 4 times');
  await page.getByRole('button', { name: 'Force-release…' }).click();
  const dialog = page.getByRole('alertdialog');
  await expect(dialog).toContainText('It has not renewed since it was acquired');
  await expect(dialog).not.toContainText('never renews');
  await page.keyboard.press('Escape');

  // The gap is this test's to choose: the page above may have taken any time.
  await api.release(resource, 'long');
  await api.acquire(resource, { owner: 'steady', ttlMs: 300_000 });
  await page.waitForTimeout(2_000);
  await api.renew(resource, { owner: 'steady', ttlMs: 300_000 });
  // Twice that gap without another.
  await expect(usual).toContainText(/Silent for .*, usually renews every/, { timeout: 40_000 });
});

test('a lock that nobody holds or asks for says so, and what was usual', async ({
  page,
  group,
}) => {
  await openLock(page, `${group}/never`);
  await expect(page.getByRole('region', { name: 'Asking' })).toContainText('Nobody has asked');
  const usual = page.getByRole('region', { name: 'Usual here' });
  await expect(usual).toContainText('No lease here has ended');
  await expect(usual).toContainText('never acquired');
});

for (const theme of ['light', 'dark'] as const) {
  test(`the page of contention leads to what is contended, in ${theme}`, async ({
    page,
    api,
    group,
  }) => {
    const { resource } = await api.acquire(`${group}/hot`, { owner: 'holder', ttlMs: 300_000 });
    for (let attempt = 0; attempt < 40; attempt += 1) {
      await api.acquire(resource, { owner: 'asker', ttlMs: 1_000 }).catch(() => undefined);
    }
    await setTheme(page, theme);
    await openList(page, group);
    await page.getByRole('link', { name: 'Contention' }).click();
    await expect(page.getByRole('heading', { name: 'Contention', exact: true })).toBeVisible();
    await page.getByRole('button', { name: '15 min' }).click();
    await expect(page).toHaveURL(/\/contention\?range=15m$/);
    const row = page.locator(`[data-contended="${resource}"]`);
    await expect(row).toBeVisible({ timeout: 30_000 });
    await page.getByText('In numbers').click();
    await expect(page.getByRole('columnheader', { name: 'Usually held' })).toBeVisible();
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectNoOverflow(page);
    await row.getByRole('link').click();
    await expect(page.getByRole('region', { name: 'Asking 1' })).toContainText('asker');
  });
}
