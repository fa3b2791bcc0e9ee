import { expect } from 'vitest';

import { StoreUnavailable } from '@/lib/locks/errors';
import type { Lease } from '@/lib/locks/lease';
import { limits } from '@/lib/locks/limits';

import { defaultTtlMs, fresh, type Driver } from '../drive';
import { guarantee } from '../store-under-test';

/** Of two grants the later one always has the larger token, and never one that JSON can't carry. */
export const tokenGuarantees = [
  guarantee('a release never sets the tokens back', async (at) => {
    const first = await at.grant({ resource: fresh(), owner: 'a' });
    await at.release(first);
    const next = await at.grant({ resource: first.resource, owner: 'a' });
    expect(next.fencingToken).toBeGreaterThan(first.fencingToken);
  }),

  guarantee('a claim of an expired lock takes a larger token', async (at) => {
    const first = await at.grant({ resource: fresh(), owner: 'a' });
    await at.clock.advance(defaultTtlMs);
    const next = await at.grant({ resource: first.resource, owner: 'b' });
    expect(next.fencingToken).toBeGreaterThan(first.fencingToken);
  }),

  guarantee('clearing away old rows never sets the tokens back', async (at) => {
    const first = await at.grant({ resource: fresh(), owner: 'a' });
    await at.clock.advance(30 * 86_400_000);
    await at.forceRelease(first, { onlyExpired: true, reason: null });
    const next = await at.grant({ resource: first.resource, owner: 'b' });
    expect(next.fencingToken).toBeGreaterThan(first.fencingToken);
  }),

  guarantee('whatever ends a lease, the next one has a larger token', async (at) => {
    const resource = fresh();
    const tokens = [];
    for (const end of endings) {
      const lease = await at.grant({ resource, owner: 'a' });
      tokens.push(lease.fencingToken);
      tokens.push(...(await end(at, lease)));
    }
    tokens.push((await at.grant({ resource, owner: 'z' })).fencingToken);
    expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b));
  }),

  guarantee('one counter serves all resources', async (at) => {
    const tokens = [];
    for (let index = 0; index < 20; index += 1) {
      tokens.push((await at.grant({ resource: fresh(), owner: 'a' })).fencingToken);
      tokens.push((await at.putHold({ resource: fresh() })).fencingToken);
    }
    expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b));
  }),

  guarantee('a renew and a denied acquire keep the token', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    await at.acquire({ resource: lease.resource, owner: 'b' });
    expect(await at.renew(lease)).toMatchObject({ lease: { fencingToken: lease.fencingToken } });
  }),

  guarantee('tokens go on beyond 2^31 and 2^32', async (at) => {
    for (const counter of [2 ** 31 - 1, 2 ** 32 - 1]) {
      await withCounterAt(at, counter, async () => {
        const first = await at.grant({ resource: fresh(), owner: 'a' });
        const next = await at.grant({ resource: fresh(), owner: 'a' });
        expect(first.fencingToken).toBeGreaterThan(counter);
        expect(next.fencingToken).toBeGreaterThan(first.fencingToken);
        expect(await at.inspect(next.resource)).toEqual(next);
        const byToken = { fencingToken: next.fencingToken };
        expect((await at.renew(next, byToken)).kind).toBe('renewed');
        const listed = await at.list({ filter: { ...byToken, resourcePrefix: next.resource } });
        expect(listed.leases).toHaveLength(1);
        expect((await at.history(next.resource))[0]?.fencingToken).toBe(next.fencingToken);
        expect((await at.release(next, byToken)).kind).toBe('released');
      });
    }
  }),

  guarantee('tokens are exact up to the largest integer that JSON carries', async (at) => {
    await withCounterAt(at, limits.fencingTokenMax - 2, async () => {
      const beforeLast = await at.grant({ resource: fresh(), owner: 'a' });
      const last = await at.grant({ resource: fresh(), owner: 'a' });
      expect(last.fencingToken).toBe(limits.fencingTokenMax);
      expect(beforeLast.fencingToken).toBe(limits.fencingTokenMax - 1);
      expect((await at.inspect(last.resource))?.fencingToken).toBe(limits.fencingTokenMax);
      const byToken = { fencingToken: beforeLast.fencingToken };
      expect(await at.release(last, byToken)).toEqual({ kind: 'not-owner' });
    });
  }),

  guarantee(
    'when the tokens are used up nothing is granted or held, and nothing ends',
    async (at) => {
      const resource = fresh();
      const lease = await at.grant({ resource: fresh(), owner: 'a' });
      await withCounterAt(at, limits.fencingTokenMax, async () => {
        await expect(at.acquire({ resource, owner: 'a' })).rejects.toThrow(StoreUnavailable);
        await expect(at.hold({ resource })).rejects.toThrow(StoreUnavailable);
        await expect(at.forceRelease(lease, { holdMs: 1_000 })).rejects.toThrow(StoreUnavailable);
        const { fencingToken } = lease;
        const evicting = at.hold({ resource: lease.resource, fencingToken });
        await expect(evicting).rejects.toThrow(StoreUnavailable);
        expect(await at.inspect(resource)).toBeNull();
        expect(await at.history(resource)).toEqual([]);
        expect(await at.inspect(lease.resource)).toEqual(lease);
        expect(await at.history(lease.resource)).toHaveLength(1);
      });
      expect((await at.renew(lease)).kind).toBe('renewed');
    },
  ),
];

/** Each ends a lease in its own way, leaves the resource free, and returns the tokens that were given meanwhile. */
const endings: readonly ((at: Driver, lease: Lease) => Promise<number[]>)[] = [
  async (at, lease) => {
    await at.release(lease);
    return [];
  },
  async (at, lease) => {
    await at.forceRelease(lease);
    return [];
  },
  async (at, lease) => {
    const again = await at.grant({ resource: lease.resource, owner: lease.owner });
    await at.clock.advance(again.ttlMs);
    return [again.fencingToken];
  },
  async (at, { resource, fencingToken }) => {
    const evicting = await at.putHold({ resource, fencingToken });
    await at.forceRelease(evicting);
    return [evicting.fencingToken];
  },
  async (at, lease) => {
    const ended = await at.forceRelease(lease, { holdMs: 2_000 });
    await at.clock.advance(2_000);
    return ended.kind === 'released' && ended.hold !== null ? [ended.hold.fencingToken] : [];
  },
];

/** Sets the counter for a while, and back afterwards, so that a store which outlives the test can go on. */
async function withCounterAt(at: Driver, counter: number, run: () => Promise<void>): Promise<void> {
  const { fencingToken } = await at.grant({ resource: fresh(), owner: 'counter' });
  await at.setTokenCounter(counter);
  try {
    await run();
  } finally {
    await at.setTokenCounter(fencingToken);
  }
}
