import { expect } from 'vitest';

import { defaultActor, defaultTtlMs, fresh } from '../drive';
import { guarantee } from '../store-under-test';

/** Renew and release: only by the owner, only while the lease lasts. */
export const ownershipGuarantees = [
  guarantee('a renew moves the expiry to now plus the TTL and keeps the lease', async (at) => {
    const resource = fresh();
    const lease = await at.grant({ resource, owner: 'a', metadata: { pid: '1' } });
    await at.clock.advance(4_000);
    const nowMs = await at.now();
    const renewed = { ...lease, expiresAtMs: nowMs + 7_000, ttlMs: 7_000 };
    const expected = { ...renewed, renewedAtMs: nowMs, renewCount: 1 };
    const outcome = await at.renew(lease, { ttlMs: 7_000, fencingToken: lease.fencingToken });
    expect(outcome).toEqual({ kind: 'renewed', lease: expected });
    expect(await at.inspect(resource)).toEqual(expected);
  }),

  guarantee('a renew with a short TTL never brings the expiry nearer', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a', ttlMs: 60_000 });
    await at.clock.advance(1_000);
    const outcome = await at.renew(lease, { ttlMs: 500 });
    expect(outcome).toMatchObject({ lease: { expiresAtMs: lease.expiresAtMs, ttlMs: 500 } });
    expect((await at.inspect(lease.resource))?.expiresAtMs).toBe(lease.expiresAtMs);
  }),

  guarantee('each renew is counted', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    for (let renewCount = 1; renewCount <= 5; renewCount += 1) {
      await at.clock.advance(3_000);
      const renewedAtMs = await at.now();
      expect(await at.renew(lease)).toMatchObject({ lease: { renewCount, renewedAtMs } });
    }
  }),

  guarantee('a renew and a denied renew leave no line in the history', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    await at.renew(lease);
    await at.renew({ ...lease, owner: 'b' });
    expect(await at.history(lease.resource)).toHaveLength(1);
  }),

  guarantee('a renew where there is no lock is not found and creates none', async (at) => {
    const resource = fresh();
    expect(await at.renew({ resource, owner: 'a' })).toEqual({ kind: 'not-found' });
    const lease = await at.grant({ resource, owner: 'a' });
    await at.release(lease);
    const late = { fencingToken: lease.fencingToken };
    expect(await at.renew(lease)).toEqual({ kind: 'not-found' });
    expect(await at.renew(lease, late)).toEqual({ kind: 'not-found' });
    expect(await at.inspect(resource)).toBeNull();
  }),

  guarantee('a renew of what another owner holds is lost and changes nothing', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    const byToken = { fencingToken: lease.fencingToken };
    expect(await at.renew({ ...lease, owner: 'b' })).toEqual({ kind: 'lost', forced: null });
    expect(await at.renew({ ...lease, owner: 'b' }, byToken)).toMatchObject({ kind: 'lost' });
    expect(await at.inspect(lease.resource)).toEqual(lease);
  }),

  guarantee('a lease that expired cannot be renewed, though nobody else wants it', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    await at.clock.advance(defaultTtlMs + 200);
    expect(await at.renew(lease)).toEqual({ kind: 'expired' });
    const byToken = { fencingToken: lease.fencingToken };
    expect(await at.renew(lease, byToken)).toEqual({ kind: 'expired' });
    expect(await at.inspect(lease.resource)).toEqual(lease);
  }),

  guarantee('a lease that another had meanwhile cannot be renewed', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    await at.clock.advance(defaultTtlMs);
    const next = await at.grant({ resource: lease.resource, owner: 'b' });
    expect(await at.renew(lease)).toEqual({ kind: 'lost', forced: null });
    await at.release(next);
    expect(await at.renew(lease)).toEqual({ kind: 'not-found' });
    expect(await at.inspect(lease.resource)).toBeNull();
  }),

  guarantee(
    'an old token with the right owner is lost, not expired, when the lease is over',
    async (at) => {
      const first = await at.grant({ resource: fresh(), owner: 'a' });
      const again = await at.grant({ resource: first.resource, owner: 'a' });
      await at.clock.advance(defaultTtlMs);
      const earlier = { fencingToken: first.fencingToken };
      expect(await at.renew(first, earlier)).toEqual({ kind: 'lost', forced: null });
      expect(await at.release(first, earlier)).toEqual({ kind: 'not-owner' });
      const current = { fencingToken: again.fencingToken };
      expect(await at.renew(first, current)).toEqual({ kind: 'expired' });
    },
  ),

  guarantee('a release leaves no lock row, and the resource is free at once', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    expect(await at.release(lease)).toEqual({ kind: 'released' });
    expect(await at.inspect(lease.resource)).toBeNull();
    const page = await at.list({ state: 'all', filter: { resourcePrefix: lease.resource } });
    expect(page.leases).toEqual([]);
    expect((await at.acquire({ resource: lease.resource, owner: 'b' })).kind).toBe('granted');
  }),

  guarantee('a second release is not found, and frees nothing', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    await at.release(lease);
    expect(await at.release(lease)).toEqual({ kind: 'not-found' });
    const next = await at.grant({ resource: lease.resource, owner: 'b' });
    expect(await at.release(lease)).toEqual({ kind: 'not-owner' });
    expect(await at.inspect(lease.resource)).toEqual(next);
  }),

  guarantee('a release of a lease that is over writes nothing', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    await at.clock.advance(defaultTtlMs + 1);
    expect(await at.release(lease)).toEqual({ kind: 'expired' });
    const byToken = { fencingToken: lease.fencingToken };
    expect(await at.release(lease, byToken)).toEqual({ kind: 'expired' });
    expect(await at.inspect(lease.resource)).toEqual(lease);
    expect(await at.history(lease.resource)).toHaveLength(1);
  }),

  guarantee('a late release does not free the lock of whoever claimed it', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    await at.clock.advance(defaultTtlMs + 500);
    const next = await at.grant({ resource: lease.resource, owner: 'b' });
    const byToken = { fencingToken: lease.fencingToken };
    expect(await at.release(lease, byToken)).toEqual({ kind: 'not-owner' });
    expect(await at.release(lease)).toEqual({ kind: 'not-owner' });
    expect(await at.inspect(lease.resource)).toEqual(next);
    expect((await at.acquire({ resource: lease.resource, owner: 'c' })).kind).toBe('held');
  }),

  guarantee('a release of what another owner holds is refused', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    const byToken = { fencingToken: lease.fencingToken };
    expect(await at.release({ ...lease, owner: 'b' })).toEqual({ kind: 'not-owner' });
    expect(await at.release({ ...lease, owner: 'b' }, byToken)).toEqual({ kind: 'not-owner' });
    expect(await at.inspect(lease.resource)).toEqual(lease);
  }),

  guarantee("another's lease that is over is not the caller's to release or renew", async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    await at.clock.advance(defaultTtlMs);
    expect(await at.release({ ...lease, owner: 'b' })).toEqual({ kind: 'not-owner' });
    expect(await at.renew({ ...lease, owner: 'b' })).toEqual({ kind: 'lost', forced: null });
    expect(await at.inspect(lease.resource)).toEqual(lease);
  }),

  guarantee('a release where there is no lock is not found', async (at) => {
    expect(await at.release({ resource: fresh(), owner: 'a' })).toEqual({ kind: 'not-found' });
  }),

  guarantee('the right owner from another client is another owner', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a', client: 'one' });
    const other = { ...lease, client: 'two' };
    expect(await at.acquire({ ...other, metadata: null })).toEqual({ kind: 'held', holder: lease });
    expect(await at.renew(other)).toEqual({ kind: 'lost', forced: null });
    expect(await at.release(other)).toEqual({ kind: 'not-owner' });
    const byToken = { fencingToken: lease.fencingToken };
    expect(await at.renew(other, byToken)).toEqual({ kind: 'lost', forced: null });
    expect(await at.release(other, byToken)).toEqual({ kind: 'not-owner' });
    expect(await at.renew({ ...lease, client: null })).toEqual({ kind: 'lost', forced: null });
    expect(await at.inspect(lease.resource)).toEqual(lease);
  }),

  guarantee('a lease without a client is its owner’s alone, whatever client comes', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a', client: null });
    const known = { ...lease, client: 'one' };
    expect(await at.renew(known)).toMatchObject({ kind: 'renewed', lease: { client: null } });
    expect(await at.renew({ ...known, owner: 'b' })).toEqual({ kind: 'lost', forced: null });
    expect(await at.release({ ...known, owner: 'b' })).toEqual({ kind: 'not-owner' });
    expect(await at.release(known)).toEqual({ kind: 'released' });

    const old = await at.grant({ resource: lease.resource, owner: 'a', client: null });
    const again = await at.acquire({ ...old, client: 'one', metadata: null });
    expect(again).toMatchObject({ kind: 'granted', lease: { id: old.id, client: 'one' } });
    expect(await at.renew({ ...old, client: 'two' })).toEqual({ kind: 'lost', forced: null });
  }),

  guarantee('the owner of an ended lease without a client learns who ended it', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a', client: null });
    await at.forceRelease(lease);
    const known = { ...lease, client: 'one' };
    expect(await at.renew(known)).toMatchObject({ kind: 'lost', forced: { by: defaultActor } });
    const next = await at.grant({ resource: lease.resource, owner: 'a', client: 'one' });
    expect(await at.renew(next)).toMatchObject({ kind: 'renewed' });
    await at.release(next);
    expect(await at.renew(known)).toEqual({ kind: 'not-found' });
  }),

  guarantee('a hold is nobody’s own, though it has no client', async (at) => {
    const held = await at.putHold({ resource: fresh() });
    const { resource, owner } = held;
    expect(await at.renew({ resource, owner, client: 'one' })).toMatchObject({ kind: 'lost' });
    expect(await at.release({ resource, owner, client: 'one' })).toEqual({ kind: 'not-owner' });
    expect((await at.acquire({ resource, owner, client: 'one' })).kind).toBe('held');
  }),

  guarantee('a lock whose row vanished can be acquired again', async (at) => {
    const resource = fresh();
    for (let round = 0; round < 3; round += 1) {
      const lease = await at.grant({ resource, owner: 'a' });
      await at.forceRelease(lease);
      expect(await at.inspect(resource)).toBeNull();
    }
  }),
];
