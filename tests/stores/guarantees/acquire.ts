import { expect } from 'vitest';

import { defaultClient, defaultTtlMs, fresh } from '../drive';
import { guarantee } from '../store-under-test';

/** Grants: of a free lock, of an expired one, and of one's own anew. */
export const acquireGuarantees = [
  guarantee('a free resource is granted for the TTL, counted from the grant', async (at) => {
    const resource = fresh();
    const lease = await at.grant({ resource, owner: 'a', ttlMs: 1_500 });
    const nowMs = await at.now();
    expect(lease).toEqual({
      id: lease.id,
      resource,
      owner: 'a',
      client: defaultClient,
      acquiredAtMs: nowMs,
      expiresAtMs: nowMs + 1_500,
      renewedAtMs: null,
      renewCount: 0,
      ttlMs: 1_500,
      fencingToken: lease.fencingToken,
      hold: null,
      releaseRequested: null,
      metadata: null,
    });
    expect(lease.id).toMatch(/^[1-9]\d*$/);
    expect(lease.fencingToken).toBeGreaterThanOrEqual(1);
    expect(await at.inspect(resource)).toEqual(lease);
  }),

  guarantee('a lease keeps the metadata that it was acquired with', async (at) => {
    const resource = fresh();
    const metadata = { host: 'worker-7', '': 'empty key', 'quo"te\'s': '💾 \\ %_*', job: '' };
    const lease = await at.grant({ resource, owner: 'a', metadata });
    expect(lease.metadata).toEqual(metadata);
    expect((await at.inspect(resource))?.metadata).toEqual(metadata);
    expect((await at.grant({ resource: fresh(), owner: 'a', metadata: {} })).metadata).toEqual({});
  }),

  guarantee('a lease may have no client', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a', client: null });
    expect(lease.client).toBeNull();
    expect((await at.renew(lease)).kind).toBe('renewed');
    expect((await at.release(lease)).kind).toBe('released');
  }),

  guarantee('a denied acquire shows the holder and writes nothing', async (at) => {
    const resource = fresh();
    const holder = await at.grant({ resource, owner: 'a', metadata: { host: 'one' } });
    await at.clock.advance(1_000);
    expect(await at.acquire({ resource, owner: 'b', ttlMs: 99_000 })).toEqual({
      kind: 'held',
      holder,
    });
    expect(await at.inspect(resource)).toEqual(holder);
    expect(await at.history(resource)).toHaveLength(1);
  }),

  guarantee(
    'acquiring what one still holds grants it anew: same row, times afresh, a larger token',
    async (at) => {
      const resource = fresh();
      const first = await at.grant({ resource, owner: 'a', ttlMs: 60_000, metadata: { pid: '1' } });
      await at.clock.advance(500);
      await at.renew(first);
      await at.askRelease(first);
      await at.clock.advance(500);
      const again = await at.grant({ resource, owner: 'a', ttlMs: 2_000 });
      expect(again).toEqual({
        ...first,
        acquiredAtMs: first.acquiredAtMs + 1_000,
        expiresAtMs: first.acquiredAtMs + 3_000,
        ttlMs: 2_000,
        fencingToken: again.fencingToken,
        metadata: null,
      });
      expect(again.fencingToken).toBeGreaterThan(first.fencingToken);
      expect(await at.inspect(resource)).toEqual(again);
    },
  ),

  guarantee('once an owner has acquired again its earlier token is lost', async (at) => {
    const resource = fresh();
    const first = await at.grant({ resource, owner: 'a' });
    const again = await at.grant({ resource, owner: 'a' });
    const earlier = { fencingToken: first.fencingToken };
    expect(await at.renew(first, earlier)).toEqual({ kind: 'lost', forced: null });
    expect(await at.release(first, earlier)).toEqual({ kind: 'not-owner' });
    expect(await at.inspect(resource)).toEqual(again);
    const current = { fencingToken: again.fencingToken };
    expect((await at.renew(again, current)).kind).toBe('renewed');
    expect((await at.release(again, current)).kind).toBe('released');
  }),

  guarantee('an expired lock is claimed in place: the row stays, the token grows', async (at) => {
    const resource = fresh();
    const over = await at.grant({ resource, owner: 'a', client: 'one', metadata: { pid: '1' } });
    await at.renew(over);
    await at.askRelease(over);
    await at.clock.advance(defaultTtlMs);
    const nowMs = await at.now();
    const claimed = await at.grant({ resource, owner: 'b', client: 'two', ttlMs: 3_000 });
    expect(claimed).toEqual({
      ...over,
      owner: 'b',
      client: 'two',
      acquiredAtMs: nowMs,
      expiresAtMs: nowMs + 3_000,
      ttlMs: 3_000,
      fencingToken: claimed.fencingToken,
      metadata: null,
    });
    expect(claimed.fencingToken).toBeGreaterThan(over.fencingToken);
    expect(await at.inspect(resource)).toEqual(claimed);
  }),

  guarantee('an owner whose lease is over gets a new one, in the same row', async (at) => {
    const resource = fresh();
    const over = await at.grant({ resource, owner: 'a' });
    await at.clock.advance(defaultTtlMs + 5_000);
    const claimed = await at.grant({ resource, owner: 'a' });
    expect(claimed.id).toBe(over.id);
    expect(claimed.fencingToken).toBeGreaterThan(over.fencingToken);
    expect(claimed.acquiredAtMs).toBe(await at.now());
    expect((await at.history(resource)).at(-1)?.kind).toBe('claimed');
  }),

  guarantee('a lock that was released is granted in a new row', async (at) => {
    const resource = fresh();
    const first = await at.grant({ resource, owner: 'a' });
    await at.release(first);
    const next = await at.grant({ resource, owner: 'b' });
    expect(Number(next.id)).toBeGreaterThan(Number(first.id));
  }),

  guarantee('an outcome is dated by the store and by this process before it asked', async (at) => {
    const beforeMs = performance.now();
    const call = { resource: fresh(), owner: 'a', client: null, requestId: null };
    const granted = await at.store.acquire({ ...call, ttlMs: 5_000, metadata: null });
    await at.clock.advance(250);
    const renewed = await at.store.renew({ ...call, ttlMs: 5_000, fencingToken: null });
    const released = await at.store.release({ ...call, fencingToken: null });
    const inspected = await at.store.inspect(call.resource);
    const afterMs = performance.now();

    const nowMs = await at.now();
    const dated = [granted, renewed, released, inspected];
    expect(dated.map((one) => one.nowMs)).toEqual([nowMs - 250, nowMs, nowMs, nowMs]);
    const readAtMs = dated.map((one) => one.readAtMs);
    expect(readAtMs).toEqual([...readAtMs].sort((a, b) => a - b));
    expect(Math.min(...readAtMs)).toBeGreaterThanOrEqual(beforeMs);
    expect(Math.max(...readAtMs)).toBeLessThanOrEqual(afterMs);
  }),

  guarantee('the largest TTL and the smallest are kept to the millisecond', async (at) => {
    for (const ttlMs of [100, 101, 86_399_999, 86_400_000]) {
      const lease = await at.grant({ resource: fresh(), owner: 'a', ttlMs });
      expect(lease.expiresAtMs - lease.acquiredAtMs).toBe(ttlMs);
    }
  }),
];
