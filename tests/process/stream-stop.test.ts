import { afterEach, describe, expect, test } from 'vitest';

import { createApi } from '../support/api';
import { fresh } from '../support/both-doors';
import { bearer, testKey } from '../support/callers';
import { dataOf, openReader } from '../support/event-reader';
import { startServer } from '../support/server';
import { poll } from '../support/waiting';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const path = '/api/events/stream';

async function start(environment: Record<string, string> = {}) {
  const server = await startServer({
    environment: { HOLDFAST_STREAMS_PER_CALLER: '300', ...environment },
  });
  cleanUps.push(() => server.stop());
  const open = async () => {
    const reader = await openReader(server.url, path, bearer(testKey));
    cleanUps.push(() => reader.close());
    return reader;
  };
  return { server, open, api: createApi(server) };
}

describe('stopping', () => {
  test('with 200 streams open, half of them stuck, the process ends by itself within 10 s, each reader told when to come back', async () => {
    const { server, open, api } = await start();
    const readers = await Promise.all(Array.from({ length: 200 }, open));
    expect(readers.map(({ status }) => status)).toEqual(readers.map(() => 200));
    const stuck = readers.slice(100);
    for (const reader of stuck) reader.stall();
    const resource = fresh();
    await api.grant(resource);
    await Promise.all(
      readers.slice(0, 100).map((reader) => reader.find((m) => dataOf(m).resource === resource)),
    );
    const told = performance.now();
    expect(await server.kill('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(performance.now() - told).toBeLessThan(10_000);
    const waits = readers.slice(0, 100).map((reader) => reader.retryMs() ?? 0);
    expect(new Set(waits).size).toBeGreaterThan(10);
  });

  test('with a grace readiness turns red first, while calls are still served', async () => {
    const { server, api, open } = await start({ HOLDFAST_SHUTDOWN_GRACE_MS: '3000' });
    const reader = await open();
    const ended = server.kill('SIGTERM');
    await poll(async () => ((await api.call('ready')).status === 503 ? true : null), {
      withinMs: 3_000,
      describe: () => 'it still says that it is ready',
    });
    expect((await api.call('live')).status).toBe(200);
    await api.grant(fresh());
    expect(reader.isOver()).toBe(false);
    expect(await ended).toEqual({ code: 0, signal: null });
  });
});

describe('a reader that does not read', () => {
  test('is dropped, costs the service little, and comes back to where it was', async () => {
    const { server, open, api } = await start();
    const reader = await open();
    const begun = fresh();
    await api.grant(begun);
    await reader.find((message) => dataOf(message).resource === begun);
    const keen = await open();
    reader.stall();
    const name = fresh('x'.repeat(450));
    let written = 0;
    const isDropped = async () => {
      const text = (await api.raw({ method: 'GET', path: '/api/metrics' })).body;
      return text.includes('holdfast_streams_ended_total{why="slow"} 1');
    };
    const write = async () => {
      for (let count = 0; count < 500; count += 1) {
        await api.grant(name, { owner: 'o'.repeat(255) });
        written += 1;
      }
    };
    while (!(await isDropped()) && written < 40_000) {
      await Promise.all(Array.from({ length: 4 }, write));
    }
    expect(await isDropped()).toBe(true);
    expect(keen.isOver()).toBe(false);
    await poll(() => (keen.messages.length >= written ? true : null), {
      withinMs: 30_000,
      describe: () => `the other reader has ${keen.messages.length} of ${written}`,
    });
    reader.resume();
    await reader.untilOver();
    expect(reader.messages.length).toBeLessThan(written);
    const again = await openReader(server.url, `${path}?last_event_id=${reader.lastId()}`, {
      ...bearer(testKey),
    });
    cleanUps.push(() => again.close());
    const total = reader.messages.length - 1;
    await poll(() => (again.messages.length + total >= written ? true : null), {
      withinMs: 30_000,
      describe: () => `it has ${again.messages.length} and ${total} of ${written}`,
    });
    const ids = [...reader.messages.slice(1), ...again.messages].map(({ lastId }) => lastId);
    expect(ids).toEqual(keen.messages.slice(-written).map(({ lastId }) => lastId));
  });
});
