import { expect } from 'vitest';

import { defaultActor, defaultReason, defaultTtlMs, fresh } from '../drive';
import { guarantee } from '../store-under-test';

/** An operator ends the lease that was seen, and no other. */
export const forceReleaseGuarantees = [
  guarantee('a force-release ends the lease that was seen and frees the resource', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    const ended = await at.forceRelease(lease);
    expect(ended).toEqual({ kind: 'released', released: lease, hold: null });
    expect(await at.inspect(lease.resource)).toBeNull();
    expect((await at.acquire({ resource: lease.resource, owner: 'b' })).kind).toBe('granted');
  }),

  guarantee(
    'a force-release where there is no lock is not found, also a second one',
    async (at) => {
      const lease = await at.grant({ resource: fresh(), owner: 'a' });
      await at.forceRelease(lease);
      expect(await at.forceRelease(lease)).toEqual({ kind: 'not-found' });
      expect(await at.forceRelease({ ...lease, resource: fresh() })).toEqual({ kind: 'not-found' });
      expect(await at.inspect(lease.resource)).toBeNull();
    },
  ),

  guarantee('a force-release of another lease than the one now is refused', async (at) => {
    const seen = await at.grant({ resource: fresh(), owner: 'a' });
    const lease = await at.grant({ resource: seen.resource, owner: 'a' });
    expect(await at.forceRelease(seen)).toEqual({ kind: 'lock-changed', lease });
    await at.clock.advance(defaultTtlMs);
    expect(await at.forceRelease(seen)).toEqual({ kind: 'lock-changed', lease });
    const next = await at.grant({ resource: seen.resource, owner: 'b' });
    const clearing = { onlyExpired: true, reason: null, holdMs: 0 };
    expect(await at.forceRelease(lease, clearing)).toEqual({ kind: 'lock-changed', lease: next });
    const { fencingToken } = next;
    expect(await at.forceRelease({ ...next, fencingToken: fencingToken + 1 })).toMatchObject({
      kind: 'lock-changed',
    });
    expect(await at.inspect(seen.resource)).toEqual(next);
  }),

  guarantee('a live lease is not ended without a reason', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    expect(await at.forceRelease(lease, { reason: null })).toEqual({
      kind: 'reason-required',
      lease,
    });
    expect(await at.inspect(lease.resource)).toEqual(lease);
  }),

  guarantee('a live lease is not ended when only an expired one was to be cleared', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    const refused = { kind: 'still-active', lease };
    expect(await at.forceRelease(lease, { onlyExpired: true })).toEqual(refused);
    expect(await at.forceRelease(lease, { onlyExpired: true, reason: null })).toEqual(refused);
    expect(await at.inspect(lease.resource)).toEqual(lease);
  }),

  guarantee('an expired row is cleared without a reason, or with one', async (at) => {
    for (const reason of [null, 'tidying up']) {
      for (const onlyExpired of [true, false]) {
        const lease = await at.grant({ resource: fresh(), owner: 'a' });
        await at.clock.advance(defaultTtlMs);
        const cleared = await at.forceRelease(lease, { reason, onlyExpired });
        expect(cleared).toEqual({ kind: 'released', released: lease, hold: null });
        expect(await at.inspect(lease.resource)).toBeNull();
      }
    }
  }),

  guarantee('what was released is told as it was, with its renewals and requests', async (at) => {
    const granted = await at.grant({ resource: fresh(), owner: 'a', metadata: { host: 'one' } });
    await at.clock.advance(1_000);
    await at.renew(granted);
    await at.askRelease(granted);
    const lease = await at.inspect(granted.resource);
    expect(await at.forceRelease(granted)).toMatchObject({ released: lease });
  }),

  guarantee('a force-release can keep the resource closed, in the same step', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a', metadata: { host: 'one' } });
    await at.askRelease(lease);
    await at.clock.advance(1_000);
    const ended = await at.forceRelease(lease, { holdMs: 30_000, actor: 'bob' });
    const nowMs = await at.now();
    const hold = await at.inspect(lease.resource);
    expect(hold).toEqual({
      ...lease,
      owner: 'operator:bob',
      client: null,
      acquiredAtMs: nowMs,
      expiresAtMs: nowMs + 30_000,
      ttlMs: 30_000,
      fencingToken: hold?.fencingToken,
      hold: { name: 'bob', reason: defaultReason },
      metadata: null,
    });
    expect(hold?.fencingToken).toBeGreaterThan(lease.fencingToken);
    expect(ended).toMatchObject({ kind: 'released', hold });
    expect(await at.acquire({ resource: lease.resource, owner: 'a' })).toEqual({
      kind: 'held',
      holder: hold,
    });
  }),

  guarantee('clearing an expired row can keep the resource closed as well', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    await at.clock.advance(defaultTtlMs);
    const ended = await at.forceRelease(lease, { holdMs: 5_000 });
    expect(ended).toMatchObject({ released: lease, hold: { id: lease.id, ttlMs: 5_000 } });
    expect((await at.acquire({ resource: lease.resource, owner: 'b' })).kind).toBe('held');
  }),

  guarantee('a hold is ended by a force-release, by any operator', async (at) => {
    const hold = await at.putHold({ resource: fresh() });
    const ended = await at.forceRelease(hold, { actor: 'bob' });
    expect(ended).toEqual({ kind: 'released', released: hold, hold: null });
    expect((await at.acquire({ resource: hold.resource, owner: 'a' })).kind).toBe('granted');
  }),

  guarantee('each of many force-releases is judged alone, and answered in order', async (at) => {
    const live = await at.grant({ resource: fresh(), owner: 'a' });
    const seen = await at.grant({ resource: fresh(), owner: 'a' });
    const changed = await at.grant({ resource: seen.resource, owner: 'a' });
    const toHold = await at.grant({ resource: fresh(), owner: 'a' });
    const leftAlone = await at.grant({ resource: fresh(), owner: 'a' });
    const over = await at.grant({ resource: fresh(), owner: 'a', ttlMs: 100 });
    await at.clock.advance(100);

    const byDefault = { actor: defaultActor, requestId: null, holdMs: 0, onlyExpired: false };
    const wanted = [
      { ...live, reason: defaultReason },
      { ...seen, reason: defaultReason },
      { resource: fresh(), fencingToken: 1, reason: defaultReason },
      { ...toHold, reason: defaultReason, holdMs: 5_000 },
      { ...leftAlone, reason: null },
      { ...leftAlone, resource: over.resource, fencingToken: over.fencingToken, reason: null },
    ];
    const calls = wanted.map(({ resource, fencingToken, ...more }) => {
      const { reason } = more;
      const holdMs = 'holdMs' in more ? more.holdMs : 0;
      return { ...byDefault, resource, fencingToken, reason, holdMs };
    });
    const { outcome, nowMs } = await at.store.forceRelease(calls);
    expect(nowMs).toBe(await at.now());
    expect(outcome).toMatchObject([
      { kind: 'released', released: live, hold: null },
      { kind: 'lock-changed', lease: changed },
      { kind: 'not-found' },
      { kind: 'released', released: toHold, hold: { resource: toHold.resource } },
      { kind: 'reason-required', lease: leftAlone },
      { kind: 'released', released: over, hold: null },
    ]);
    expect(await at.inspect(changed.resource)).toEqual(changed);
    expect(await at.inspect(leftAlone.resource)).toEqual(leftAlone);
  }),

  guarantee('500 locks can be ended in one call, and none at all', async (at) => {
    const prefix = fresh();
    const names = Array.from({ length: 500 }, (_, index) => `${prefix}/${String(index)}`);
    const leases = await Promise.all(names.map((resource) => at.grant({ resource, owner: 'a' })));
    const calls = leases.map(({ resource, fencingToken }) => ({
      resource,
      fencingToken,
      actor: defaultActor,
      reason: defaultReason,
      requestId: null,
      holdMs: 0,
      onlyExpired: false,
    }));
    const { outcome } = await at.store.forceRelease(calls);
    expect(outcome).toEqual(leases.map((released) => ({ kind: 'released', released, hold: null })));
    expect((await at.list({ state: 'all', filter: { resourcePrefix: prefix } })).leases).toEqual(
      [],
    );
    expect((await at.store.forceRelease([])).outcome).toEqual([]);
  }),
];
