import { afterAll, beforeAll, expect, test } from 'vitest';

import type { EndedLease } from '@/lib/locks/upkeep';

import { drive, fresh, type Driver } from './drive';
import { openRedis, sqliteLedger, type RedisUnderTest } from './redis';

/** What the indexes of Redis are left with, by keys that others removed or changed and by what is forgotten. */

const dayMs = 24 * 60 * 60 * 1_000;
const indexes = ['names', 'expires', 'ends', 'closed'].concat(
  ['silent', 'expiring'].flatMap((condition) => [`${condition}:from`, `${condition}:until`]),
);

let at: Driver & RedisUnderTest;
beforeAll(async () => {
  const subject = await openRedis(await sqliteLedger());
  at = { ...subject, ...drive(subject) };
});
afterAll(() => at.close());

test('a lock that is forgotten leaves no place in any index, and neither does one that is released', async () => {
  const leases = [];
  for (let count = 0; count < 10; count += 1) {
    leases.push(await at.grant({ resource: fresh(), owner: 'a' }));
  }
  for (const lease of leases.slice(5)) {
    await at.clock.advance(10);
    await at.renew(lease);
  }
  const [released, ...rest] = leases;
  if (released !== undefined) await at.release(released);
  rest.push(await at.putHold({ resource: fresh() }));
  await at.clock.advance(dayMs);
  await note(rest);
  await at.clock.advance(dayMs);
  expect(await forget()).toMatchObject({ locks: 10 });
  expect(await sizes()).toEqual(indexes.map(() => 0));
});

test('the place that a vanished lock has left is forgotten, and never removes the lock that came after', async () => {
  const gone = await at.grant({ resource: fresh(), owner: 'a', ttlMs: 1_000 });
  await at.client.del(`${at.prefix}lock:${gone.resource}`);
  await at.clock.advance(2 * dayMs);
  const next = await at.grant({ resource: gone.resource, owner: 'b', ttlMs: 9 * dayMs });
  expect(next.id).not.toBe(gone.id);
  const { outcome: ended } = await at.store.endedLeases({ sinceMs: null, limit: 10 });
  expect(ended).toEqual([]);
  expect(await forget()).toMatchObject({ locks: 0 });
  expect(await at.inspect(gone.resource)).toEqual(next);
  expect(await at.client.zcard(`${at.prefix}expires`)).toBe(1);
  expect((await at.list({ filter: {} })).leases).toEqual([next]);
  await at.release(next);
});

test('vanished locks, however many, hide no end of a lease that came after them', async () => {
  for (let count = 0; count < 12; count += 1) {
    const { resource } = await at.grant({ resource: fresh(), owner: 'a', ttlMs: 100 });
    await at.client.del(`${at.prefix}lock:${resource}`);
  }
  const last = await at.grant({ resource: fresh(), owner: 'a', ttlMs: 200 });
  await at.clock.advance(1_000);
  const { outcome } = await at.store.endedLeases({ sinceMs: null, limit: 5 });
  expect(outcome.map(({ resource }) => resource)).toEqual([last.resource]);
  await note([last]);
  await at.clock.advance(2 * dayMs);
  await forget();
  expect(await sizes()).toEqual(indexes.map(() => 0));
});

test('a lock whose key somebody gave another type keeps no other from being listed, noted and forgotten', async () => {
  const lost = await at.grant({ resource: fresh(), owner: 'a' });
  const other = await at.grant({ resource: fresh(), owner: 'b' });
  const key = `${at.prefix}lock:${lost.resource}`;
  await at.client.set(key, 'theirs');
  for (const filter of [{}, { text: '-' }]) {
    const { leases } = await at.list({ filter });
    expect(leases.map(({ resource }) => resource)).toEqual([other.resource]);
  }
  await at.clock.advance(dayMs);
  const { outcome } = await at.store.endedLeases({ sinceMs: null, limit: 10 });
  expect(outcome.map(({ resource }) => resource)).toEqual([other.resource]);
  expect(await note([lost, other])).toEqual({ isOurTurn: true, noted: 1 });
  await at.clock.advance(2 * dayMs);
  expect(await forget()).toMatchObject({ locks: 1 });
  expect(await at.client.get(key)).toBe('theirs');
});

test('an end that nobody noted is kept until Redis would forget the lock by itself', async () => {
  const { resource } = await at.grant({ resource: fresh(), owner: 'a' });
  await at.clock.advance(59 * dayMs);
  expect(await forget()).toMatchObject({ locks: 0 });
  expect(await at.inspect(resource)).not.toBeNull();
  await at.clock.advance(2 * dayMs);
  expect(await forget()).toMatchObject({ locks: 1 });
});

test('the events of a lease whose owner is still told that a person ended it stay', async () => {
  const lease = await at.grant({ resource: fresh(), owner: 'a', ttlMs: 9 * dayMs });
  await at.clock.advance(8 * dayMs);
  await at.forceRelease(lease);
  await at.clock.advance(dayMs - 1);
  await forget();
  expect(await at.history(lease.resource)).toHaveLength(2);
  await at.clock.advance(1);
  await forget();
  expect((await at.history(lease.resource)).map(({ kind }) => kind)).toEqual(['force_released']);
});

test('of who asked nothing is left after a minute, also of more names than one tidying looks at', async () => {
  const nowMs = await at.now();
  for (let count = 0; count < 120; count += 1) {
    const resource = fresh();
    const asker = { owner: 'b', client: null, attempts: 1, firstAtMs: nowMs, lastAtMs: nowMs };
    const holder = { owner: 'a', client: null, fencingToken: 1 };
    await at.store.noteDenials([{ resource, ...asker, holder }]);
    await at.store.noteDenials([{ resource, ...asker, holder }]);
  }
  const left = async () =>
    (await at.client.keys('*')).filter(
      (key) => key.startsWith(at.prefix) && /:(asked|untold)\b/.test(key),
    );
  expect(await left()).toHaveLength(122);
  for (const key of await left()) {
    if (key.includes(':asked:')) expect(await at.client.pttl(key)).toBeGreaterThan(60_000);
  }
  await at.clock.advance(60_000);
  expect(await at.store.tidyDenials()).toBe('now');
  await at.clock.advance(60_000);
  const answers = [];
  for (let round = 0; round < 5; round += 1) answers.push(await at.store.tidyDenials());
  expect(answers.at(-1)).toBe('never');
  expect(await left()).toEqual([]);
});

test('events that wait in the stream are forgotten with those that are saved', async () => {
  const lease = await at.grant({ resource: fresh(), owner: 'a' });
  await at.release(lease);
  await at.clock.advance(2 * dayMs);
  expect((await forget()).events).toBeGreaterThanOrEqual(2);
  expect(await at.history(lease.resource)).toEqual([]);
});

async function sizes(): Promise<number[]> {
  return Promise.all(indexes.map((index) => at.client.zcard(`${at.prefix}${index}`)));
}

function note(leases: readonly EndedLease[]) {
  const ended = leases.map(({ resource, fencingToken }) => ({ resource, fencingToken }));
  return at.store.noteEnds({ holder: 'one', turnMs: 1, leases: ended });
}

function forget() {
  const call = { holder: 'one', turnMs: 1, retentionMs: dayMs, batchMax: 1_000, after: null };
  return at.store.forgetOld(call);
}
