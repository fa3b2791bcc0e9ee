import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';

import { Redis } from 'ioredis';
import { afterEach, describe, expect, test } from 'vitest';

import type { Ledger } from '@/lib/store/redis/ledger';

import { durable, inMemory, startRedis, type RedisServer } from '../support/redis-server';
import { startProxy } from '../support/proxy';
import { poll } from '../support/waiting';
import { drive, fresh, type Driver } from './drive';
import { openRedis, sqliteLedger, type RedisUnderTest } from './redis';

/** What Redis forgets, and what must hold all the same. Each test has servers of its own, by their own clock. */

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function startServer(settings = inMemory): Promise<RedisServer> {
  const server = await startRedis(settings);
  closing.push(() => server.remove());
  return server;
}

async function openOn(server: RedisServer): Promise<RedisUnderTest & Driver> {
  const subject = await openRedis(await sqliteLedger(), { url: server.url, isClockPinned: false });
  closing.push(() => subject.close());
  return { ...subject, ...drive(subject) };
}

/** When Redis has just come back, a call may be told once that it is not known what became of it. */
function patiently<T>(call: () => Promise<T>): Promise<T> {
  return poll(() => call().catch(() => null), {
    withinMs: 20_000,
    describe: () => 'the store does not serve again',
  });
}

const long = { owner: 'a', ttlMs: 600_000 };

describe('a Redis that forgets its scripts', () => {
  test('renews and releases what was granted before', async () => {
    const server = await startServer();
    const at = await openOn(server);
    const lease = await at.grant({ resource: fresh(), ...long });
    await server.client.script('FLUSH');
    expect((await at.renew(lease)).kind).toBe('renewed');
    await server.client.script('FLUSH');
    expect((await at.release(lease)).kind).toBe('released');
    await server.client.script('FLUSH');
    expect((await at.history(lease.resource)).map(({ kind }) => kind)).toEqual([
      'acquired',
      'released',
    ]);
  });

  test('a crowd that meets the forgetting has one winner for each name', async () => {
    const server = await startServer();
    const at = await openOn(server);
    const names = Array.from({ length: 20 }, () => fresh());
    const calls = names.flatMap((resource) =>
      ['a', 'b', 'c'].map((owner) => at.acquire({ resource, owner, ttlMs: 600_000 })),
    );
    await server.client.script('FLUSH');
    const outcomes = await Promise.all(calls);
    expect(outcomes.filter(({ kind }) => kind === 'granted')).toHaveLength(names.length);
  });
});

describe('a Redis that is restarted', () => {
  test('without persistence forgets the locks, and its next tokens are larger than all before', async () => {
    const server = await startServer(inMemory);
    const at = await openOn(server);
    const before = await at.grant({ resource: fresh(), ...long });
    await server.kill();
    await server.start();
    const again = await patiently(() => at.grant({ resource: before.resource, ...long }));
    expect(again.fencingToken).toBeGreaterThan(before.fencingToken);
    expect(again.id).not.toBe(before.id);
  });

  test('with an append-only file and appendfsync always forgets no grant, and the tokens rise', async () => {
    const server = await startServer(durable);
    const at = await openOn(server);
    const before = await at.grant({ resource: fresh(), ...long });
    await server.kill();
    await server.start();
    expect(await patiently(() => at.inspect(before.resource))).toEqual(before);
    const next = await at.grant({ resource: fresh(), ...long });
    expect(next.fencingToken).toBeGreaterThan(before.fencingToken);
    expect((await at.release(before)).kind).toBe('released');
  });

  test('from a snapshot that is older than its last grants never gives one of their tokens again', async () => {
    const server = await startServer({ ...inMemory, save: '3600 1000000' });
    const at = await openOn(server);
    const early = await at.grant({ resource: fresh(), ...long });
    await server.client.save();
    const late = [];
    for (let count = 0; count < 20; count += 1) {
      late.push(await at.grant({ resource: fresh(), ...long }));
    }
    await server.kill();
    await server.start();
    expect(await patiently(() => at.inspect(early.resource))).toEqual(early);
    const next = await at.grant({ resource: fresh(), ...long });
    const last = Math.max(...late.map(({ fencingToken }) => fencingToken));
    expect(next.fencingToken).toBeGreaterThan(last);
  });

  test('tells no line of the history twice and keeps those that were saved', async () => {
    const server = await startServer(inMemory);
    const at = await openOn(server);
    const first = await at.grant({ resource: fresh(), ...long });
    expect(await at.history(first.resource)).toHaveLength(1);
    await server.kill();
    await server.start();
    await patiently(() => at.grant({ resource: first.resource, ...long }));
    const kinds = (await at.history(first.resource)).map(({ kind }) => kind);
    expect(kinds).toEqual(['acquired', 'acquired']);
  });

  test('all data flushed at run time, the next tokens are larger than all before', async () => {
    const server = await startServer();
    const at = await openOn(server);
    const before = await at.grant({ resource: fresh(), ...long });
    await server.client.flushall();
    const next = await at.grant({ resource: before.resource, ...long });
    expect(next.fencingToken).toBeGreaterThan(before.fencingToken);
  });
});

test('a database that is restored to an earlier moment lowers no token while Redis has its data', async () => {
  const server = await startServer(durable);
  const at = await openOn(server);
  let before = await at.grant({ resource: fresh(), ...long });
  await at.beside.setTokenCounter(0);
  // More than a block, so that the next must be drawn while Redis goes on, and then in another run of it.
  for (let count = 0; count < 1_100; count += 1) {
    const lease = await at.grant({ resource: fresh(), ...long });
    expect(lease.fencingToken).toBeGreaterThan(before.fencingToken);
    before = lease;
  }
  await at.beside.setTokenCounter(0);
  await server.kill();
  await server.start();
  const next = await patiently(() => at.grant({ resource: fresh(), ...long }));
  expect(next.fencingToken).toBeGreaterThan(before.fencingToken);
});

describe('a failover to a replica that lags', () => {
  test('may lose a grant, and never gives a token of it again: the surviving primary goes on above', async () => {
    const primary = await startServer();
    const replica = await startServer();
    const at = await openOn(primary);
    const known = await at.grant({ resource: fresh(), ...long });
    const deafen = await follow(replica, primary);
    deafen();
    const unheard = await at.grant({ resource: fresh(), ...long });
    await primary.kill();
    await replica.client.replicaof('NO', 'ONE');

    const after = await openSame(at, replica);
    expect((await after.inspect(known.resource))?.fencingToken).toBe(known.fencingToken);
    // Not promised, and so it is: the second owner gets what the first believes to hold.
    const second = await after.grant({ resource: unheard.resource, owner: 'b', ttlMs: 600_000 });
    expect(second.fencingToken).toBeGreaterThan(unheard.fencingToken);
    // Nor does a primary that is cut off know that it is none any more: its tokens are the lower ones.
    expect((await after.history(unheard.resource)).at(-1)?.owner).toBe('b');
  });

  test('back and forth, also where the server between granted nothing, never gives a token again', async () => {
    const one = await startServer();
    const other = await startServer();
    const at = await openOn(one);
    await at.grant({ resource: fresh(), ...long });
    const deafen = await follow(other, one);
    deafen();
    const unheard = [];
    for (let count = 0; count < 5; count += 1) {
      unheard.push(await at.grant({ resource: fresh(), ...long }));
    }
    await other.client.replicaof('NO', 'ONE');
    // The first server takes the older data, in the same run, and leads again.
    await one.client.replicaof('127.0.0.1', other.port);
    await untilInStep(one);
    await one.client.replicaof('NO', 'ONE');
    expect(await one.client.exists(`${at.prefix}lock:${unheard[0]?.resource ?? ''}`)).toBe(0);
    const next = await patiently(() => at.grant({ resource: fresh(), ...long }));
    const last = Math.max(...unheard.map(({ fencingToken }) => fencingToken));
    expect(next.fencingToken).toBeGreaterThan(last);
  });

  test('to a server whose clock is behind loses no line of the history that it has', async () => {
    const primary = await startServer();
    const at = await openOn(primary);
    const { resource } = await at.grant({ resource: fresh(), ...long });
    expect(await at.history(resource)).toHaveLength(1);
    // As an hour ahead: what was saved has later ids than the next server's clock would give.
    const ahead = Date.now() + 3_600_000;
    await primary.client.xadd(`${at.prefix}events`, `${ahead}-0`, 'e', '');
    await at.history(resource);
    const next = await startServer();
    const after = await openSame(at, next);
    const lease = await after.grant({ resource, owner: 'b' });
    await after.release(lease);
    const kinds = (await after.history(resource)).map(({ kind }) => kind);
    expect(kinds).toEqual(['acquired', 'acquired', 'released']);
  });
});

/** Lets a server follow another, until it has all that there is. @returns what makes it hear nothing more. */
async function follow(replica: RedisServer, primary: RedisServer): Promise<() => void> {
  const proxy = await startProxy(primary.port);
  closing.push(() => proxy.close());
  await replica.client.replicaof('127.0.0.1', proxy.port);
  await untilInStep(replica);
  const marker = randomUUID();
  await primary.client.set(marker, 'heard');
  await poll(() => replica.client.get(marker), {
    withinMs: 20_000,
    describe: () => 'the replica does not follow',
  });
  return () => proxy.swallow();
}

async function untilInStep(replica: RedisServer): Promise<void> {
  await poll(
    async () =>
      (await replica.client.info('replication')).includes('master_link_status:up') ? true : null,
    { withinMs: 30_000, describe: () => 'the replica is not in step' },
  );
}

/** The same locks, tokens and history, by way of another server. */
async function openSame(at: RedisUnderTest, server: RedisServer): Promise<Driver> {
  const options = { url: server.url, prefix: at.prefix.slice(1, -2), isClockPinned: false };
  const subject = await openRedis(at.beside, options);
  closing.push(async () => {
    await subject.store.close();
    subject.client.disconnect();
  });
  return drive(subject);
}

test('a block of tokens that arrives after others were granted is refused, also when all data is gone by then', async () => {
  const server = await startServer();
  const beside = await sqliteLedger();
  let delayed = Promise.resolve();
  const slow: Ledger = {
    ...beside.ledger,
    async reserveTokens(count) {
      const block = await beside.ledger.reserveTokens(count);
      await delayed;
      return block;
    },
  };
  const options = { url: server.url, prefix: `test-${randomUUID()}`, isClockPinned: false };
  const late = await openRedis({ ...beside, ledger: slow }, options);
  closing.push(() => late.close());
  let arrive: () => void = () => undefined;
  delayed = new Promise((resolve) => (arrive = resolve));
  await server.client.flushall();
  const granting = drive(late).grant({ resource: fresh(), ...long });
  await poll(() => server.client.hget(`${late.prefix}tokens`, 'wanted_by'), {
    withinMs: 10_000,
    describe: () => 'nobody reserves',
  });
  const prompt = await openRedis(beside, options);
  closing.push(async () => {
    await prompt.store.close();
    prompt.client.disconnect();
  });
  const larger = await drive(prompt).grant({ resource: fresh(), ...long });
  await server.client.flushall();
  arrive();
  expect((await granting).fencingToken).toBeGreaterThan(larger.fencingToken);
});

describe('the keys of the store', () => {
  test('each lock has an expiry, well after the end of its lease', async () => {
    const server = await startServer();
    const at = await openOn(server);
    for (let count = 0; count < 30; count += 1) {
      const lease = await at.grant({ resource: fresh(), ...long });
      if (count % 3 === 1) await at.renew(lease);
      if (count % 3 === 2) await at.putHold(lease);
    }
    const keys = (await server.client.keys('*')).filter((key) => key.includes(':lock:'));
    expect(keys).toHaveLength(30);
    for (const key of keys) expect(await server.client.pttl(key)).toBeGreaterThan(600_000);
  });

  test('have an expiry also where the client was cut off at any point of a call, 500 times', async () => {
    const server = await startServer();
    const at = await openOn(server);
    let granted = 0;
    for (let cut = 0; cut < 500; cut += 1) {
      const calls = Array.from({ length: 8 }, () => at.acquire({ resource: fresh(), ...long }));
      const settled = Promise.allSettled(calls);
      for (let turns = cut % 4; turns > 0; turns -= 1) await turn();
      await server.client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      granted += (await settled).filter(({ status }) => status === 'fulfilled').length;
    }
    const keys = (await server.client.keys('*')).filter((key) => key.includes(':lock:'));
    const ends = await Promise.all(keys.map((key) => server.client.pttl(key)));
    expect(ends.filter((ms) => ms < 0)).toEqual([]);
    expect(keys.length).toBeGreaterThanOrEqual(granted);
    expect(granted).toBeGreaterThan(0);
  }, 180_000);

  test('are all under the prefix, in one slot, and nothing else is touched', async () => {
    const server = await startServer();
    const { client } = server;
    const theirs = { 'user:1': 'data', 'job:42': 'data', 'lock:user:1': 'data', tokens: 'data' };
    await client.mset(theirs);
    const at = await openOn(server);
    for (const resource of Object.keys(theirs)) {
      const lease = await at.grant({ resource, owner: 'a' });
      expect((await at.release(lease)).kind).toBe('released');
      await at.putHold({ resource });
    }
    expect(await client.mget(Object.keys(theirs))).toEqual(Object.values(theirs));
    const strangers = (await client.keys('*')).filter((key) => !key.startsWith(at.prefix));
    expect(strangers.sort()).toEqual(Object.keys(theirs).sort());
  });

  test('of another type are left as they are, and fail the calls on that name alone', async () => {
    const server = await startServer();
    const at = await openOn(server);
    const resource = fresh();
    await server.client.set(`${at.prefix}lock:${resource}`, 'theirs');
    const others = [fresh(), fresh(), fresh()];
    const outcomes = await Promise.allSettled(
      [others[0], resource, others[1], others[2]].map((name) =>
        at.acquire({ resource: name ?? '', owner: 'a' }),
      ),
    );
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    await expect(at.acquire({ resource, owner: 'a' })).rejects.toThrow(/another type/);
    expect(await server.client.get(`${at.prefix}lock:${resource}`)).toBe('theirs');
  });

  test('of another type that all locks need stop the start with the name of the key', async () => {
    const server = await startServer();
    const prefix = `test-${randomUUID()}`;
    await server.client.set(`{${prefix}}:names`, 'theirs');
    const beside = await sqliteLedger();
    closing.push(() => beside.remove());
    const opening = openRedis(beside, { url: server.url, prefix });
    await expect(opening).rejects.toThrow(`{${prefix}}:names`);
  });
});

test('a server that may evict locks is refused at the start, and so is a replica', async () => {
  const evicting = await startServer({ ...inMemory, 'maxmemory-policy': 'allkeys-lru' });
  const replica = await startServer();
  await replica.client.replicaof('127.0.0.1', evicting.port);
  for (const [server, words] of [
    [evicting, /maxmemory-policy is allkeys-lru/],
    [replica, /is a replica/],
  ] as const) {
    const beside = await sqliteLedger();
    closing.push(() => beside.remove());
    const options = { url: server.url, isClockPinned: false };
    const refused = openRedis(beside, options).catch((error: unknown) => error);
    expect(await refused).toMatchObject({
      cause: { message: expect.stringMatching(words) as string },
    });
  }
});

test('a client of the store needs no other database than the one that it is given', async () => {
  const server = await startServer();
  const at = await openRedis(await sqliteLedger(), {
    url: `${server.url}/5`,
    isClockPinned: false,
  });
  closing.push(() => at.close());
  await drive(at).grant({ resource: fresh(), owner: 'a' });
  expect(await server.client.dbsize()).toBe(0);
  const five = new Redis(`${server.url}/5`);
  expect(await five.dbsize()).toBeGreaterThan(3);
  five.disconnect();
});
