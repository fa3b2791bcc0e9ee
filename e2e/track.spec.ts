import type { Locator, Page } from '@playwright/test';

import { expectNoViolations } from './support/axe';
import { soonOver } from './support/api';
import { expect, openList, rowOf, stateOf, test } from './support/test';

function trackOf(page: Page, resource: string): Locator {
  return rowOf(page, resource).locator('[data-track]');
}

/** From where to where the lease is drawn, and where now is, in pixels of the window. */
function drawn(track: Locator) {
  return track.evaluate((svg) => {
    const now = svg.querySelector('.stroke-blue')?.getBoundingClientRect();
    // The lease alone, without the marks of the axis behind it.
    const parts = [...svg.querySelectorAll(':scope > svg line, :scope > svg rect')];
    const boxes = parts.map((part) => part.getBoundingClientRect());
    return {
      now: (now?.left ?? 0) + (now?.width ?? 0) / 2,
      from: Math.min(...boxes.map(({ left }) => left)),
      to: Math.max(...boxes.map(({ right }) => right)),
    };
  });
}

test('held leases cross now, expired ones end before it, and it is one line through all rows', async ({
  page,
  api,
  group,
}) => {
  await api.acquire(`${group}/held`, { owner: 'worker-1', ttlMs: 300_000 });
  await api.acquire(`${group}/day`, { owner: 'worker-2', ttlMs: 86_400_000 });
  await api.acquire(`${group}/over`, { owner: 'worker-3', ttlMs: soonOver });
  await api.hold(`${group}/shut`, { reason: 'moving the primary', ttlMs: 300_000 });
  await openList(page, group, '&sort=resource');
  await expect(stateOf(rowOf(page, `${group}/over`))).toHaveText('Expired');

  await expect(trackOf(page, `${group}/over`)).toHaveAttribute('data-track', 'expired');
  const [held, day, over, shut] = await Promise.all(
    ['held', 'day', 'over', 'shut'].map((name) => drawn(trackOf(page, `${group}/${name}`))),
  );
  for (const lease of [held, day, shut]) {
    expect(lease?.from).toBeLessThan(lease?.now ?? 0);
    expect(lease?.to).toBeGreaterThan((lease?.now ?? 0) + 20);
    expect(lease?.now).toBe(over?.now);
  }
  expect(day?.to).toBeGreaterThan((held?.to ?? 0) + 20);
  // Its last second is at most a little left of now: the line of the end is as wide as a pixel or two.
  expect(over?.to).toBeLessThan((over?.now ?? 0) + 1);
  await expect(trackOf(page, `${group}/shut`).locator('[fill^="url("]')).toHaveCount(1);
  const label = page.getByRole('columnheader').locator('svg text', { hasText: 'now' });
  const box = await label.boundingBox();
  expect((box?.x ?? 0) + (box?.width ?? 0) / 2).toBeCloseTo(held?.now ?? 0, -1);
});

test('a lease that is renewed no longer gets a dashed gap, and renewals a tick', async ({
  page,
  api,
  group,
}) => {
  const lease = { owner: 'worker-1', ttlMs: 120_000 };
  await api.acquire(`${group}/quiet`, lease);
  await api.renew(`${group}/quiet`, lease);
  await openList(page, group);
  await expect(stateOf(rowOf(page, `${group}/quiet`))).toContainText('Silent');
  const track = trackOf(page, `${group}/quiet`);
  await expect(track).toHaveAttribute('data-track', 'silent');
  await expect(track.locator('[stroke-dasharray]')).toHaveCount(1);

  await api.renew(`${group}/quiet`, lease);
  await expect(track).toHaveAttribute('data-track', 'held');
  await expect(track.locator('[stroke-dasharray]')).toHaveCount(0);
  const { from, to, now } = await drawn(track);
  expect(from).toBeLessThan(now - 10);
  expect(to).toBeGreaterThan(now + 10);
});

test('what the track shows stands beside it in words, by the server’s time', async ({
  page,
  api,
  group,
}) => {
  // A browser that is an hour slow.
  await page.addInitScript(() => {
    const { now } = Date;
    Date.now = () => now() - 3_600_000;
  });
  const lock = await api.acquire(`${group}/told`, { owner: 'worker-1', ttlMs: 300_000 });
  await openList(page, group);
  const expires = lock.expires_at.slice(11, 19);
  await expect(rowOf(page, lock.resource)).toContainText(`expires ${expires} UTC`);
  const { from, now } = await drawn(trackOf(page, lock.resource));
  expect(now - from).toBeLessThan(150);
});

test('columns and the height of rows are chosen, and kept in this browser', async ({
  page,
  api,
  group,
}) => {
  const lock = await api.acquire(`${group}/a`, { owner: 'worker-1', ttlMs: 300_000 });
  await openList(page, group);
  const row = rowOf(page, lock.resource);
  const cell = row.getByRole('cell', { name: String(lock.fencing_token), exact: true });
  await expect(row).toBeVisible();
  await expect(cell).toHaveCount(0);
  const before = (await row.boundingBox())?.height ?? 0;
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByLabel('fence', { exact: true }).check();
  await page.getByLabel('comfortable').check();
  await page.getByRole('button', { name: 'Close' }).click();
  await expect(cell).toBeVisible();
  await page.reload();
  await expect(cell).toBeVisible();
  expect((await row.boundingBox())?.height).toBeGreaterThan(before + 5);
});

for (const scheme of ['light', 'dark', 'forced'] as const) {
  for (const width of [390, 1440]) {
    test(`the track has its axis and its place at ${width} px, ${scheme}`, async ({
      page,
      api,
      group,
    }) => {
      await page.setViewportSize({ width, height: 844 });
      await page.emulateMedia({
        colorScheme: scheme === 'dark' ? 'dark' : 'light',
        forcedColors: scheme === 'forced' ? 'active' : 'none',
      });
      await api.acquire(`${group}/a`, { owner: 'worker-1', ttlMs: 300_000 });
      await openList(page, group);
      await expect(trackOf(page, `${group}/a`)).toBeVisible();
      await expect(page.locator('svg text:visible', { hasText: 'now' })).toHaveCount(1);
      const { from, to, now } = await drawn(trackOf(page, `${group}/a`));
      expect(from).toBeLessThan(now);
      expect(to).toBeLessThanOrEqual(width);
      await expectNoViolations(page);
    });
  }
}
