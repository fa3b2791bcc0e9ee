import path from 'node:path';

import Database from 'better-sqlite3';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { createClient, UnavailableError, type Client } from '@/client/src/node/client';

import { startHolder } from '../client/programs';
import { createApi, type Api } from '../support/api';
import { fresh, untilExpired } from '../support/both-doors';
import { testKey } from '../support/callers';
import { startProxy, type Proxy } from '../support/proxy';
import { createRandom } from '../support/random';
import { startServer, temporaryFolder, type TestServer } from '../support/server';
import { poll } from '../support/waiting';

// What may not be: any of it fails the run.
const unhandled: unknown[] = [];
process.on('unhandledRejection', (error) => unhandled.push(error));

let server: TestServer;
let api: Api;
let proxy: Proxy;
let client: Client;

beforeAll(async () => {
  server = await startServer();
  api = createApi(server);
  proxy = await startProxy(Number(new URL(server.url).port));
  client = clientAt(`http://127.0.0.1:${proxy.port}`);
});
beforeEach(() => {
  proxy.pass();
  proxy.loseAnswers(0);
  proxy.delay(0);
});
afterAll(async () => {
  await proxy.close();
  await server.stop();
  expect(unhandled).toEqual([]);
});

function clientAt(url: string): Client {
  return createClient({ url, apiKey: testKey, answerTimeoutMs: 1_000 });
}

function aborted(signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(signal.reason);
    signal.addEventListener('abort', () => resolve(signal.reason));
  });
}

async function forceRelease(resource: string): Promise<void> {
  const { lock } = (await api.call('inspect', { resource })).value();
  const body = { fencing_token: lock.fencing_token, reason: 'it was stuck' };
  (await api.call('forceRelease', { resource, body })).value();
}

describe('a holder', () => {
  test('that was stopped past its TTL finds its lease lost, and does not end that of the next', async () => {
    const resource = fresh();
    const holder = startHolder({ url: server.url, resource, ttlMs: 1_000 });
    await holder.until('held');
    holder.signal('SIGSTOP');
    await untilExpired(api, resource);
    const next = await client.acquire(resource);
    holder.signal('SIGCONT');
    expect(await holder.until('lost')).toMatchObject({ how: 'expired' });
    holder.write('ask');
    expect(await holder.until('asked')).toMatchObject({ isHeld: false });
    holder.write('release');
    expect(await holder.until('released')).toMatchObject({ released: 'lost' });
    expect((await holder.ended).code).toBe(0);
    expect((await client.inspect(resource))?.fencing_token).toBe(next.fencingToken);
    await next.release();
  });

  test('that blocked its event loop past its TTL is told at the first chance', async () => {
    const holder = startHolder({ url: server.url, resource: fresh(), ttlMs: 400, blockMs: 900 });
    expect(await holder.until('unblocked')).toMatchObject({ isHeld: false });
    expect(await holder.until('lost')).toMatchObject({ how: 'expired' });
    holder.write('release');
    await holder.ended;
    expect(holder.told().map(({ event }) => event)).not.toContain('unhandled');
  });

  test('that is force-released is told by whom and why', async () => {
    const resource = fresh();
    const holder = startHolder({ url: server.url, resource, ttlMs: 2_000 });
    await holder.until('held');
    await forceRelease(resource);
    expect(await holder.until('lost')).toMatchObject({
      how: 'forced',
      by: 'env',
      reason: 'it was stuck',
    });
    holder.write('release');
    await holder.ended;
  });

  test('ends by itself once it has released: nothing keeps it alive', async () => {
    const holder = startHolder({ url: server.url, resource: fresh(), ttlMs: 60_000 });
    await holder.until('held');
    holder.write('release');
    expect(await holder.ended).toEqual({ code: 0, signal: null });
    expect(await holder.until('released')).toMatchObject({ released: 'released' });
  });
});

describe('when the network', () => {
  test.each(['refuse', 'swallow'] as const)(
    'fails by %s past the TTL, the lease is lost for that reason, and the client works again after',
    async (fault) => {
      const resource = fresh();
      const lock = client.lock(resource, { ttlMs: 1_500 });
      const { signal } = await lock.acquire();
      proxy[fault]();
      const startedMs = performance.now();
      const reason = await aborted(signal);
      expect(reason).toMatchObject({ code: 'lost', how: 'unavailable' });
      expect((reason as Error).cause).toBeInstanceOf(UnavailableError);
      expect(lock.lease?.isHeld).toBe(false);
      expect(performance.now() - startedMs).toBeGreaterThan(500);
      await expect(client.acquire(fresh(), { waitMs: 500 })).rejects.toBeInstanceOf(
        UnavailableError,
      );
      proxy.pass();
      expect((await lock.acquire(10_000)).isHeld).toBe(true);
      expect(await lock.release()).toBe('released');
    },
  );

  test('loses the answer of a grant, the retry is granted to the same owner', async () => {
    const resource = fresh();
    proxy.loseAnswers(1);
    const lease = await client.acquire(resource, { ttlMs: 60_000, waitMs: 0 });
    const { lock } = (await api.call('inspect', { resource })).value();
    expect(lock).toMatchObject({ owner: lease.owner, fencing_token: lease.fencingToken });
    const events = (await api.call('lockEvents', { resource })).value().events;
    expect(events.map(({ kind }) => kind)).toEqual(['reacquired', 'acquired']);
    await lease.release();
  });

  test('loses the answer of a release, the release is known to have happened', async () => {
    const lease = await client.acquire(fresh(), { ttlMs: 60_000 });
    proxy.loseAnswers(1);
    expect(await lease.release()).toBe('released');
  });

  test('loses one renewal, and delays the others, the lease goes on', async () => {
    const lease = await client.acquire(fresh(), { ttlMs: 3_000 });
    proxy.loseAnswers(1);
    proxy.delay(100);
    await poll(
      async () => {
        const { lock } = (await api.call('inspect', { resource: lease.resource })).value();
        return lock.renew_count >= 3 ? true : null;
      },
      { withinMs: 20_000, describe: () => 'it is not renewed' },
    );
    expect(lease.signal.aborted).toBe(false);
    expect(await lease.release()).toBe('released');
  });

  test('is slow while an acquire is given up, what is granted after all is given back', async () => {
    const resource = fresh();
    proxy.delay(1_000);
    const giveUp = new AbortController();
    const acquiring = client.acquire(resource, { ttlMs: 60_000, signal: giveUp.signal });
    const expected = expect(acquiring).rejects.toThrow('enough');
    const kinds = async () =>
      (await api.call('lockEvents', { resource })).value().events.map(({ kind }) => kind);
    const isTold = (kind: string) => async () => ((await kinds())[0] === kind ? true : null);
    await poll(isTold('acquired'), { withinMs: 20_000, describe: () => 'it is not granted' });
    giveUp.abort(new Error('enough'));
    await expected;
    await poll(isTold('released'), { withinMs: 20_000, describe: () => 'it is still held' });
    expect(await kinds()).toEqual(['released', 'acquired']);
  });
});

test('a waiter that gave up leaves nothing in the way of the next', async () => {
  const resource = fresh();
  const lease = await client.acquire(resource, { ttlMs: 60_000 });
  const waiting = Array.from({ length: 10 }, () => client.acquire(resource, { waitMs: 300 }));
  const outcomes = await Promise.allSettled(waiting);
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({
      reason: { code: 'not-acquired', holder: { owner: lease.owner } },
    });
  }
  await lease.release();
  const next = await client.tryAcquire(resource);
  expect(next?.isHeld).toBe(true);
  await next?.release();
});

test('a server that was restarted has ended no lease, and a longer pause is told as an outage', async () => {
  const port = String(29_000 + (process.pid % 1_000));
  const own = await startServer({ environment: { PORT: port } });
  try {
    const direct = clientAt(own.url);
    const long = await direct.acquire('long', { ttlMs: 60_000 });
    const short = await direct.acquire('short', { ttlMs: 1_000 });
    await own.kill('SIGKILL');
    expect(await aborted(short.signal)).toMatchObject({ how: 'unavailable' });
    await own.restart();
    expect(long.isHeld).toBe(true);
    const again = await direct.acquire('short', { ttlMs: 1_000 });
    expect(again.fencingToken).toBeGreaterThan(short.fencingToken);
    expect(await again.release()).toBe('released');
    expect(await long.release()).toBe('released');
    await short.release();
  } finally {
    await own.stop();
  }
});

/** A set that two processes add to: the first is stopped between its read and its write, past the end of its lease. */
async function addToSet(isFenced: boolean): Promise<{ members: unknown; rows: unknown }> {
  const file = path.join(temporaryFolder(), 'guarded.db');
  const database = new Database(file);
  database.exec(`CREATE TABLE guarded (members TEXT NOT NULL, fence INTEGER NOT NULL);
    INSERT INTO guarded VALUES ('[]', 0)`);
  const shared = { url: server.url, resource: fresh(), file, isFenced };
  const first = startHolder({ ...shared, member: 'first', ttlMs: 1_000 });
  await first.until('held');
  first.signal('SIGSTOP');
  const second = startHolder({ ...shared, member: 'second', ttlMs: 10_000 });
  await second.until('held');
  second.write('write');
  await second.until('written');
  first.signal('SIGCONT');
  first.write('write');
  const { rows } = await first.until('written');
  for (const holder of [first, second]) {
    holder.write('release');
    await holder.ended;
  }
  const members: unknown = JSON.parse(
    String(database.prepare('SELECT members FROM guarded').pluck().get()),
  );
  database.close();
  return { members, rows };
}

describe('a set that is guarded by the lock', () => {
  test('loses nothing where it remembers the fencing token', async () => {
    expect(await addToSet(true)).toEqual({ members: ['second'], rows: 0 });
  });

  test('does lose where it does not: the lease alone can not stop a process', async () => {
    expect(await addToSet(false)).toEqual({ members: ['first'], rows: 1 });
  });
});

describe('under load', () => {
  test('32 workers lose no lease in 100 rounds each', async () => {
    const random = createRandom('client load');
    const losses: unknown[] = [];
    const patient = createClient({ url: server.url, apiKey: testKey });
    await Promise.all(
      Array.from({ length: 32 }, async () => {
        const resource = fresh();
        for (let round = 0; round < 100; round += 1) {
          const lease = await patient.acquire(resource, { ttlMs: 6_000, waitMs: 60_000 });
          lease.signal.addEventListener('abort', () => losses.push(lease.lost));
          // Most are released at once, and some when a renewal is just under way.
          const holdMs = random.next() < 0.03 ? random.between(1_600, 2_000) : random.between(0, 5);
          await new Promise((resolve) => setTimeout(resolve, holdMs));
          const released = await lease.release();
          if (released === 'lost') losses.push(lease.lost);
        }
      }),
    );
    expect(losses).toEqual([]);
  });

  test('300 who wait through an outage ask apart from each other, and hold one at a time', async () => {
    const resource = fresh();
    const asked: number[] = [];
    const crowd = createClient({
      url: `http://127.0.0.1:${proxy.port}`,
      apiKey: testKey,
      fetch: (input, init) => {
        if (init?.method === 'POST') asked.push(performance.now());
        return fetch(input, init);
      },
    });
    proxy.refuse();
    let inside = 0;
    let most = 0;
    let done = 0;
    const waiting = Array.from({ length: 300 }, () =>
      crowd.using(resource, { ttlMs: 1_000, waitMs: 60_000 }, async () => {
        inside += 1;
        most = Math.max(most, inside);
        await new Promise((resolve) => setTimeout(resolve, 1));
        inside -= 1;
        done += 1;
      }),
    );
    await poll(() => (asked.length >= 900 ? true : null), {
      withinMs: 20_000,
      describe: () => 'nobody asks',
    });
    proxy.pass();
    const backMs = performance.now();
    await poll(() => (done > 0 ? true : null), {
      withinMs: 20_000,
      describe: () => 'nobody got it',
    });
    await Promise.all(waiting);
    expect([most, done]).toEqual([1, 300]);
    const soon = asked.filter((atMs) => atMs >= backMs && atMs < backMs + 1_000);
    const byTenth = Array.from(
      { length: 10 },
      (_, tenth) => soon.filter((atMs) => Math.floor((atMs - backMs) / 100) === tenth).length,
    );
    // Were they to ask at once, one tenth of a second would have them all.
    expect(Math.max(...byTenth), byTenth.join(' ')).toBeLessThan(150);
  }, 120_000);
});
