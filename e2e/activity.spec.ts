import { readFile } from 'node:fs/promises';

import { expectNoViolations } from './support/axe';
import { expectNoOverflow, setTheme } from './support/looks';
import { expect, test } from './support/test';

/** What has happened, as an operator reads it afterwards. */

test('who closed a lock is found by its name, with the reason, and leads to the lock', async ({
  page,
  api,
  group,
}) => {
  await api.hold(`${group}/a`, { reason: 'moving the primary', ttlMs: 300_000 });
  await api.hold(`${group}-else`, { reason: 'another matter', ttlMs: 300_000 });
  await page.goto('/locks');
  await page.getByRole('link', { name: 'Activity', exact: true }).click();
  const field = page.getByRole('textbox', { name: 'Lock', exact: true });
  await field.fill(`${group}/*`);
  await field.press('Enter');
  await expect(page).toHaveURL(/resource=/);
  await expect(field).toBeFocused();
  await page.reload();
  const lines = page.locator('[data-event]');
  await expect(lines).toHaveCount(1);
  await expect(lines).toContainText('closed');
  await expect(lines).toContainText('moving the primary');
  await expect(lines).toContainText('by env');

  await lines.getByRole('link').click();
  await expect(page.getByRole('heading', { name: `${group}/a` })).toBeVisible();
  await page.goBack();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(page).toHaveURL(/\/activity$/);
  await expect(field).toHaveValue('');
});

test('what is newer is counted, and moves nothing until it is asked for', async ({
  page,
  api,
  group,
}) => {
  await api.acquire(`${group}/a`, { owner: 'worker-1', ttlMs: 300_000 });
  await page.goto(`/activity?kind=lease&resource=${encodeURIComponent(`${group}/*`)}`);
  const lines = page.locator('[data-event]');
  await expect(lines).toHaveCount(1);
  await api.acquire(`${group}/b`, { owner: 'worker-2', ttlMs: 300_000 });
  await api.release(`${group}/b`, 'worker-2');
  const newer = page.getByRole('button', { name: 'Show 2 that are newer' });
  await expect(newer).toBeVisible();
  await expect(lines).toHaveCount(1);
  await newer.click();
  await expect(lines).toHaveCount(3);
  await expect(lines.first()).toContainText('released');
  await expect(page.getByRole('button', { name: /newer/ })).toHaveCount(0);
});

test('a history of several pages is read to its end, each event once', async ({
  page,
  api,
  group,
}) => {
  const resource = `${group}/many`;
  for (let lease = 0; lease < 60; lease += 1) {
    await api.acquire(resource, { owner: 'worker-1', ttlMs: 300_000 });
    await api.release(resource, 'worker-1');
  }
  await page.goto(`/activity?kind=lease&resource=${encodeURIComponent(resource)}`);
  const lines = page.locator('[data-event]');
  await expect(lines).toHaveCount(50);
  await page.getByRole('button', { name: 'Load more' }).click();
  await expect(lines).toHaveCount(100);
  await page.getByRole('button', { name: 'Load more' }).click();
  await expect(lines).toHaveCount(120);
  await expect(page.getByRole('button', { name: 'Load more' })).toHaveCount(0);

  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Export CSV' }).click();
  const table = await readFile(await (await download).path(), 'utf8');
  expect(table.split('\n').filter((line) => line.includes(resource))).toHaveLength(120);
});

test('what happened to keys has its name, and no filter by lock', async ({
  page,
  admin,
  group,
}) => {
  await admin.newKey({ name: `${group} key` });
  await page.goto(`/activity?resource=${encodeURIComponent(group)}`);
  await page.getByRole('button', { name: 'Keys and members' }).click();
  await expect(page.getByRole('textbox', { name: 'Lock', exact: true })).toHaveCount(0);
  await expect(page).not.toHaveURL(/resource=/);
  const line = page.locator('[data-event="key_created"]').filter({ hasText: `${group} key` });
  await expect(line).toHaveCount(1);
  await expect(line).toContainText('by ');
});

for (const { theme, width } of [
  { theme: 'light', width: 1440 },
  { theme: 'dark', width: 390 },
] as const) {
  test(`the page passes axe and fits in ${theme} at ${width} px`, async ({ page, api, group }) => {
    await setTheme(page, theme);
    await page.setViewportSize({ width, height: 844 });
    await api.acquire(group.padEnd(512, 'x'), { owner: 'w'.repeat(255), ttlMs: 300_000 });
    await page.goto(`/activity?kind=lease&resource=${encodeURIComponent(`${group}*`)}`);
    await expect(page.locator('[data-event]')).toHaveCount(1);
    await expectNoViolations(page);
    await expectNoOverflow(page);
  });
}
