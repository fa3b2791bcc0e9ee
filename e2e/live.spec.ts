import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';

import { Api } from './support/api';
import { e2eKey } from './support/callers';
import { expect, openList, rowOf, stateOf, test } from './support/test';

/** Another instance on the file of the server under test. */
async function startOther(): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const data = process.env['HOLDFAST_E2E_DATA'] ?? '';
  const child = spawn(process.execPath, ['dist/server.mjs'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      ...process.env,
      HOST: '127.0.0.1',
      PORT: '0',
      NODE_ENV: 'production',
      DATABASE_URL: `file:${path.join(data, 'e2e.db')}`,
      HOLDFAST_API_KEY: e2eKey,
    },
  });
  let log = '';
  child.stdout.on('data', (chunk: Buffer) => (log += chunk.toString()));
  await expect.poll(() => log, { timeout: 45_000 }).toContain('ready at');
  return { url: /ready at (http:\S+)/.exec(log)?.[1] ?? '', child };
}

test('a change on another instance shows within a second', async ({ page, group }) => {
  const { url, child } = await startOther();
  try {
    const other = new Api(url);
    // Nothing is asked by time: what shows has come by the stream.
    await page.addInitScript(() => {
      const never = (ms?: number) => (ms === 3_000 ? 3_600_000 : ms);
      const wait = window.setTimeout.bind(window);
      const repeat = window.setInterval.bind(window);
      window.setTimeout = ((work: TimerHandler, ms?: number) =>
        wait(work, never(ms))) as typeof window.setTimeout;
      window.setInterval = ((work: TimerHandler, ms?: number) =>
        repeat(work, never(ms))) as typeof window.setInterval;
    });
    await openList(page, group);
    await expect(page.locator('[data-stream="live"]')).toBeVisible();

    for (const name of ['a', 'b', 'c']) {
      const since = Date.now();
      await other.acquire(`${group}/${name}`, { owner: 'worker-1', ttlMs: 600_000 });
      await expect(stateOf(rowOf(page, `${group}/${name}`))).toHaveText('Held');
      test
        .info()
        .annotations.push({ type: 'shown after', description: `${Date.now() - since} ms` });
    }
  } finally {
    child.kill('SIGKILL');
  }
});

test('two tabs hold one stream, and when its tab is closed the other goes on', async ({
  page,
  context,
  api,
  group,
}) => {
  let streams = 0;
  context.on('request', (request) => {
    if (request.url().includes('/api/events/stream')) streams += 1;
  });
  await openList(page, group);
  await expect(page.locator('[data-stream="live"]')).toBeVisible();
  const second = await context.newPage();
  await openList(second, group);
  await expect(second.locator('[data-stream="live"]')).toBeVisible();
  expect(streams).toBe(1);

  await api.acquire(`${group}/a`, { owner: 'worker-1', ttlMs: 600_000 });
  await expect(rowOf(page, `${group}/a`)).toBeVisible();
  await expect(rowOf(second, `${group}/a`)).toBeVisible();

  await page.close();
  await expect.poll(() => streams).toBe(2);
  await api.acquire(`${group}/b`, { owner: 'worker-1', ttlMs: 600_000 });
  await expect(rowOf(second, `${group}/b`)).toBeVisible();
});

test('pause ends the stream, and resuming begins it where it was', async ({ page, group }) => {
  const resumed: (string | undefined)[] = [];
  page.on('request', (request) => {
    if (!request.url().includes('/api/events/stream')) return;
    resumed.push(request.headers()['last-event-id']);
  });
  await openList(page, group);
  await expect(page.locator('[data-stream="live"]')).toBeVisible();
  await page.getByRole('button', { name: 'Pause' }).click();
  await expect(page.locator('[data-stream="none"]')).toBeVisible();
  await page.getByRole('button', { name: 'Pause' }).click();
  await expect(page.locator('[data-stream="live"]')).toBeVisible();
  expect(resumed).toEqual([undefined, expect.stringMatching(/^\d+-\d+$/)]);
});
