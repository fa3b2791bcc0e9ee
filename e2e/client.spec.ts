import { readFileSync } from 'node:fs';
import path from 'node:path';

import type { Page } from '@playwright/test';

import type { Client, Lease } from '@/client/src/index';

import { e2eKey } from './support/callers';
import { expect, test } from './support/test';

/** What the page of these journeys keeps. */
declare global {
  interface Window {
    readonly holdfast: Client;
    lease: Lease;
    losses: unknown[];
    unhandled: string[];
  }
}

const bundle = readFileSync(path.join(import.meta.dirname, '../client/dist/index.js'), 'utf8');

/** A page of the service's own origin that uses the client as it is published: the service allows no other origin. */
async function openPage(page: Page): Promise<void> {
  await page.context().clearCookies();
  await page.route('**/holdfast-client.js', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: bundle }),
  );
  await page.route('**/a-page-with-locks', (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<!doctype html><title>Locks</title><script type="module">
        import { createClient } from './holdfast-client.js';
        window.losses = [];
        window.unhandled = [];
        addEventListener('unhandledrejection', ({ reason }) => unhandled.push(String(reason)));
        window.take = async (resource) => {
          await using lease = await holdfast.acquire(resource, { waitMs: 0 });
          return lease.isHeld;
        };
        window.holdfast = createClient({ url: location.origin, apiKey: ${JSON.stringify(e2eKey)} });
      </script>`,
    }),
  );
  await page.goto('/a-page-with-locks');
  await page.waitForFunction(() => 'holdfast' in window);
}

test('a page holds a lock beyond its TTL, keeps others out, and releases it', async ({
  page,
  group,
}) => {
  await openPage(page);
  const resource = `${group}/page ü:1`;
  const owner = await page.evaluate(async (name) => {
    window.lease = await window.holdfast.acquire(name, { ttlMs: 900 });
    return window.lease.owner;
  }, resource);
  expect(owner).toMatch(/^web\//);
  await expect
    .poll(() =>
      page.evaluate(async (name) => (await window.holdfast.inspect(name))?.renew_count, resource),
    )
    .toBeGreaterThan(3);
  const second = page.evaluate((name) => window.holdfast.tryAcquire(name), resource);
  expect(await second).toBeUndefined();
  expect(await page.evaluate(() => window.lease.isHeld)).toBe(true);
  expect(await page.evaluate(() => window.lease.release())).toBe('released');
  expect(await page.evaluate('take(' + JSON.stringify(resource) + ')')).toBe(true);
  const left = page.evaluate((name) => window.holdfast.inspect(name), resource);
  expect(await left).toBeUndefined();
  expect(await page.evaluate(() => window.unhandled)).toEqual([]);
});

test('a page that goes offline loses its lease by its own clock, and locks again when it is back', async ({
  page,
  group,
}) => {
  await openPage(page);
  const resource = `${group}/offline`;
  await page.evaluate(async (name) => {
    window.lease = await window.holdfast.acquire(name, { ttlMs: 1_500 });
    window.lease.signal.addEventListener('abort', () => window.losses.push(window.lease.lost?.how));
  }, resource);
  await page.context().setOffline(true);
  await expect.poll(() => page.evaluate(() => window.losses)).toEqual(['unavailable']);
  await page.context().setOffline(false);
  const again = page.evaluate((name) => window.holdfast.using(name, {}, () => 'done'), resource);
  expect(await again).toBe('done');
  expect(await page.evaluate(() => window.unhandled)).toEqual([]);
});

test('a page that stood still past its lease is told at the first chance', async ({
  page,
  group,
}) => {
  await openPage(page);
  const how = page.evaluate(async (name) => {
    const lease = await window.holdfast.acquire(name, { ttlMs: 400 });
    const endMs = performance.now() + 700;
    while (performance.now() < endMs);
    return lease.lost?.how;
  }, `${group}/blocked`);
  expect(await how).toBe('expired');
});

test('a page that waits gets the lock from whoever releases it', async ({ page, api, group }) => {
  await openPage(page);
  const resource = `${group}/waited`;
  const lock = await api.acquire(resource, { owner: 'other', ttlMs: 60_000 });
  const denied = page.waitForResponse((response) => response.request().method() === 'POST');
  const waiting = page.evaluate(async (name) => {
    const lease = await window.holdfast.acquire(name, { waitMs: 30_000 });
    await lease.release();
    return lease.fencingToken;
  }, resource);
  await denied;
  await api.release(resource, 'other');
  expect(await waiting).toBeGreaterThan(lock.fencing_token);
});
