import { expect } from 'vitest';

import { defaultTtlMs, fresh } from '../drive';
import { guarantee } from '../store-under-test';

/** When a lease is over, by the store's clock and at the same millisecond everywhere. */
export const expiryGuarantees = [
  guarantee('one millisecond before its expiry a lease is held', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    await at.clock.advance(defaultTtlMs - 1);
    expect((await at.acquire({ resource: lease.resource, owner: 'b' })).kind).toBe('held');
    expect((await at.hold({ resource: lease.resource })).kind).toBe('lock-changed');
    expect((await at.renew(lease)).kind).toBe('renewed');
    expect((await at.release(lease)).kind).toBe('released');
  }),

  guarantee('at exactly its expiry a lease cannot be renewed or released', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    await at.clock.advance(defaultTtlMs);
    expect(await at.renew(lease)).toEqual({ kind: 'expired' });
    expect(await at.release(lease)).toEqual({ kind: 'expired' });
  }),

  guarantee('at exactly its expiry a lock can be claimed', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    await at.clock.advance(defaultTtlMs);
    expect((await at.acquire({ resource: lease.resource, owner: 'b' })).kind).toBe('granted');
  }),

  guarantee('at exactly its expiry a lease is over for operators too', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    const other = await at.grant({ resource: fresh(), owner: 'a' });
    await at.clock.advance(defaultTtlMs);
    expect((await at.askRelease(lease)).kind).toBe('lock-changed');
    const cleared = await at.forceRelease(lease, { reason: null, onlyExpired: true });
    expect(cleared.kind).toBe('released');
    expect((await at.hold({ resource: other.resource })).kind).toBe('held');
  }),

  guarantee('at exactly its expiry a lease is listed and counted as expired', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    const filter = { resourcePrefix: lease.resource };
    await at.clock.advance(defaultTtlMs - 1);
    expect((await at.list({ filter })).leases).toEqual([lease]);
    expect((await at.list({ filter, state: 'expired' })).leases).toEqual([]);
    expect((await at.list({ filter })).counts).toMatchObject({ active: 1, expired: 0 });
    await at.clock.advance(1);
    expect((await at.list({ filter })).leases).toEqual([]);
    expect((await at.list({ filter, state: 'expired' })).leases).toEqual([lease]);
    expect((await at.list({ filter })).counts).toMatchObject({ active: 0, expired: 1 });
  }),

  guarantee('a renew that comes at the last millisecond still counts', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a', ttlMs: 100 });
    await at.clock.advance(99);
    expect((await at.renew(lease, { ttlMs: 100 })).kind).toBe('renewed');
    await at.clock.advance(99);
    expect((await at.acquire({ resource: lease.resource, owner: 'b' })).kind).toBe('held');
    await at.clock.advance(1);
    expect((await at.acquire({ resource: lease.resource, owner: 'b' })).kind).toBe('granted');
  }),

  guarantee('inspect shows the row of an expired lock as it was left', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    await at.clock.advance(40 * 86_400_000);
    expect(await at.inspect(lease.resource)).toEqual(lease);
    expect(await at.inspect(fresh())).toBeNull();
  }),

  guarantee('when the clock steps back, two leases are never active', async (at) => {
    const first = await at.grant({ resource: fresh(), owner: 'a' });
    await at.clock.advance(defaultTtlMs);
    const next = await at.grant({ resource: first.resource, owner: 'b' });
    await at.clock.advance(-5_000);
    expect(await at.renew(first)).toEqual({ kind: 'lost', forced: null });
    expect(await at.acquire({ resource: first.resource, owner: 'a' })).toEqual({
      kind: 'held',
      holder: next,
    });
    expect(await at.release(first)).toEqual({ kind: 'not-owner' });
    expect(await at.inspect(first.resource)).toEqual(next);
  }),

  guarantee(
    'when the clock steps back over an expiry, only one of two gets the lock',
    async (at) => {
      const lease = await at.grant({ resource: fresh(), owner: 'a' });
      await at.clock.advance(defaultTtlMs + 1);
      expect(await at.renew(lease)).toEqual({ kind: 'expired' });
      await at.clock.advance(-2);
      const renewed = await at.renew(lease);
      const acquired = await at.acquire({ resource: lease.resource, owner: 'b' });
      expect((renewed.kind === 'renewed') !== (acquired.kind === 'granted')).toBe(true);
    },
  ),

  guarantee('after a step back a grant still lasts its TTL and has a larger token', async (at) => {
    const before = await at.grant({ resource: fresh(), owner: 'a' });
    await at.release(before);
    await at.clock.advance(-3_600_000);
    const after = await at.grant({ resource: before.resource, owner: 'b' });
    expect(after.acquiredAtMs).toBe(await at.now());
    expect(after.expiresAtMs).toBe(after.acquiredAtMs + defaultTtlMs);
    expect(after.fencingToken).toBeGreaterThan(before.fencingToken);
  }),

  guarantee('a step back never makes a lease shorter or a held time negative', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    await at.clock.advance(-60_000);
    expect(await at.renew(lease)).toMatchObject({ lease: { expiresAtMs: lease.expiresAtMs } });
    await at.release(lease);
    expect((await at.history(lease.resource)).at(-1)?.heldMs).toBe(0);
  }),
];
