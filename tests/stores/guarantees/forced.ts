import { expect } from 'vitest';

import { limits } from '@/lib/locks/limits';

import { defaultActor, defaultReason, defaultTtlMs, fresh, type Driver } from '../drive';
import { guarantee } from '../store-under-test';

/** The owner of a lease that a person ended learns of it at its next renew, for a day. */
export const forcedGuarantees = [
  guarantee('a renew of a lease that a person ended says by whom, why and when', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    await at.clock.advance(1_000);
    await at.forceRelease(lease, { actor: 'bob', reason: 'the host is gone' });
    const atMs = await at.now();
    await at.clock.advance(1_000);
    const forced = { by: 'bob', reason: 'the host is gone', atMs };
    expect(await at.renew(lease)).toEqual({ kind: 'lost', forced });
    const byToken = { fencingToken: lease.fencingToken };
    expect(await at.renew(lease, byToken)).toEqual({ kind: 'lost', forced });
    expect(await at.inspect(lease.resource)).toBeNull();
  }),

  guarantee('a forced end is told also when the resource is held by then', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    await at.forceRelease(lease, { holdMs: 60_000 });
    expect(await at.renew(lease)).toEqual({ kind: 'lost', forced: await forcedNow(at) });
    expect((await at.inspect(lease.resource))?.hold).not.toBeNull();
  }),

  guarantee('a forced end is told also when a hold evicted the lease', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    await at.putHold({ resource: lease.resource, fencingToken: lease.fencingToken });
    expect(await at.renew(lease)).toEqual({ kind: 'lost', forced: await forcedNow(at) });
  }),

  guarantee("a forced end is told also when the lock is someone else's by then", async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    await at.forceRelease(lease);
    const forced = await forcedNow(at);
    const next = await at.grant({ resource: lease.resource, owner: 'b' });
    expect(await at.renew(lease)).toEqual({ kind: 'lost', forced });
    expect(await at.inspect(lease.resource)).toEqual(next);
    await at.clock.advance(defaultTtlMs);
    expect(await at.renew(lease)).toEqual({ kind: 'lost', forced });
    await at.forceRelease(next, { reason: null });
    expect(await at.renew(lease)).toEqual({ kind: 'lost', forced });
  }),

  guarantee('a release of a lease that a person ended finds nothing of its own', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    await at.forceRelease(lease);
    expect(await at.release(lease)).toEqual({ kind: 'not-found' });
    const next = await at.grant({ resource: lease.resource, owner: 'b' });
    expect(await at.release(lease)).toEqual({ kind: 'not-owner' });
    expect(await at.inspect(lease.resource)).toEqual(next);
  }),

  guarantee('an owner that acquired again is not told of the end before that', async (at) => {
    const evicted = await at.grant({ resource: fresh(), owner: 'a' });
    await at.forceRelease(evicted);
    const forced = await forcedNow(at);
    const again = await at.grant({ resource: evicted.resource, owner: 'a' });
    const earlier = { fencingToken: evicted.fencingToken };
    expect((await at.renew(again)).kind).toBe('renewed');
    expect(await at.renew(again, earlier)).toEqual({ kind: 'lost', forced });
    await at.release(again);
    expect(await at.renew(again)).toEqual({ kind: 'not-found' });
    const current = { fencingToken: again.fencingToken };
    expect(await at.renew(again, current)).toEqual({ kind: 'not-found' });
    expect(await at.renew(again, earlier)).toEqual({ kind: 'lost', forced });
  }),

  guarantee('a lease that is over is expired, whatever was ended before it', async (at) => {
    const evicted = await at.grant({ resource: fresh(), owner: 'a' });
    await at.forceRelease(evicted);
    const forced = await forcedNow(at);
    const again = await at.grant({ resource: evicted.resource, owner: 'a' });
    await at.clock.advance(defaultTtlMs);
    expect(await at.renew(again)).toEqual({ kind: 'expired' });
    const earlier = { fencingToken: evicted.fencingToken };
    expect(await at.renew(again, earlier)).toEqual({ kind: 'lost', forced });
  }),

  guarantee('of two forced ends the newest that concerns the caller is told', async (at) => {
    const first = await at.grant({ resource: fresh(), owner: 'a' });
    await at.forceRelease(first, { actor: 'bob' });
    const second = await at.grant({ resource: first.resource, owner: 'a' });
    await at.forceRelease(second, { actor: 'eve' });
    const other = await at.grant({ resource: first.resource, owner: 'b' });
    await at.forceRelease(other, { actor: 'zoe' });
    expect(await at.renew(first)).toMatchObject({ kind: 'lost', forced: { by: 'eve' } });
    const byFirst = await at.renew(first, { fencingToken: first.fencingToken });
    expect(byFirst).toMatchObject({ kind: 'lost', forced: { by: 'bob' } });
    const bySecond = await at.renew(first, { fencingToken: second.fencingToken });
    expect(bySecond).toMatchObject({ kind: 'lost', forced: { by: 'eve' } });
  }),

  guarantee('nobody but the evicted owner and client is told of a forced end', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a', client: 'one' });
    await at.forceRelease(lease);
    const byToken = { fencingToken: lease.fencingToken };
    for (const more of [{}, byToken]) {
      expect(await at.renew({ ...lease, owner: 'b' }, more)).toEqual({ kind: 'not-found' });
      expect(await at.renew({ ...lease, client: 'two' }, more)).toEqual({ kind: 'not-found' });
      expect(await at.renew({ ...lease, resource: fresh() }, more)).toEqual({ kind: 'not-found' });
    }
    const otherToken = { fencingToken: lease.fencingToken + 1 };
    expect(await at.renew(lease, otherToken)).toEqual({ kind: 'not-found' });
    expect((await at.history(lease.resource)).map(({ kind }) => kind)).not.toContain('noticed');
  }),

  guarantee('a forced end is remembered for a day, and no longer', async (at) => {
    const early = await at.grant({ resource: fresh(), owner: 'a' });
    const late = await at.grant({ resource: fresh(), owner: 'a' });
    await at.forceRelease(early);
    await at.forceRelease(late);
    const forced = await forcedNow(at);
    await at.clock.advance(limits.forcedMemoryMs - 1);
    expect(await at.renew(early)).toEqual({ kind: 'lost', forced });
    await at.clock.advance(1);
    expect(await at.renew(early)).toEqual({ kind: 'not-found' });
    expect(await at.renew(late)).toEqual({ kind: 'not-found' });
    const byToken = { fencingToken: late.fencingToken };
    expect(await at.renew(late, byToken)).toEqual({ kind: 'not-found' });
    await at.grant({ resource: late.resource, owner: 'b' });
    expect(await at.renew(late)).toEqual({ kind: 'lost', forced: null });
  }),

  guarantee('evictions elsewhere do not make a forced end forgotten', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    await at.forceRelease(lease);
    const forced = await forcedNow(at);
    await at.clock.advance(limits.forcedMemoryMs - 1_000);
    const other = await at.grant({ resource: fresh(), owner: 'a' });
    await at.forceRelease(other);
    expect(await at.renew(lease)).toEqual({ kind: 'lost', forced });
  }),

  guarantee('to clear an expired row is no forced end', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    await at.clock.advance(defaultTtlMs);
    await at.forceRelease(lease);
    expect(await at.renew(lease)).toEqual({ kind: 'not-found' });
    await at.putHold({ resource: lease.resource });
    expect(await at.renew(lease)).toEqual({ kind: 'lost', forced: null });
  }),

  guarantee('that an evicted owner noticed is noted once', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    await at.forceRelease(lease);
    await at.clock.advance(2_000);
    const noticedAtMs = await at.now();
    await at.renew(lease, { requestId: 'first' });
    await at.clock.advance(2_000);
    await at.renew(lease, { requestId: 'second' });
    await at.renew(lease, { requestId: 'third', fencingToken: lease.fencingToken });
    const noticed = (await at.history(lease.resource)).filter(({ kind }) => kind === 'noticed');
    expect(noticed).toMatchObject([
      {
        atMs: noticedAtMs,
        owner: 'a',
        fencingToken: lease.fencingToken,
        requestId: 'first',
        actor: null,
      },
    ]);
  }),

  guarantee('each forced end is noticed for itself', async (at) => {
    const first = await at.grant({ resource: fresh(), owner: 'a' });
    await at.forceRelease(first);
    await at.renew(first);
    const second = await at.grant({ resource: first.resource, owner: 'a' });
    await at.forceRelease(second);
    await at.renew(second);
    const noticed = (await at.history(first.resource)).filter(({ kind }) => kind === 'noticed');
    expect(noticed.map((event) => event.fencingToken)).toEqual([
      first.fencingToken,
      second.fencingToken,
    ]);
  }),
];

/** What an eviction by the default operator at this moment is remembered as. */
async function forcedNow(at: Driver) {
  return { by: defaultActor, reason: defaultReason, atMs: await at.now() };
}
