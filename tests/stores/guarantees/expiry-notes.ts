import { expect } from 'vitest';

import type { Lease } from '@/lib/locks/lease';
import type { EndedLease } from '@/lib/locks/upkeep';

import { defaultTtlMs, fresh, type Driver } from '../drive';
import { guarantee } from '../store-under-test';

/** The ends of leases are put on record, each once, and never that of a lease which did not end. */
export const expiryNoteGuarantees = [
  guarantee('a lease that ran out is found, and its end is on record once', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    expect(await endedOf(at, lease.resource)).toEqual([]);
    await at.clock.advance(defaultTtlMs);
    expect(await endedOf(at, lease.resource)).toEqual([seen(lease)]);
    await at.clock.advance(1_500);
    expect(await note(at, [lease])).toEqual({ isOurTurn: true, noted: 1 });
    expect(await endedOf(at, lease.resource)).toEqual([]);
    expect(await note(at, [lease])).toEqual({ isOurTurn: true, noted: 0 });
    expect((await at.history(lease.resource)).slice(1)).toEqual([
      {
        id: expect.any(String) as string,
        atMs: await at.now(),
        kind: 'expired',
        resource: lease.resource,
        owner: 'a',
        fencingToken: lease.fencingToken,
        expiresAtMs: lease.expiresAtMs,
        previousOwner: null,
        client: lease.client,
        actor: null,
        reason: null,
        count: null,
        heldMs: defaultTtlMs,
        requestId: null,
        subject: null,
      },
    ]);
  }),

  guarantee('the row of a lease whose end is on record stays as it was', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    await at.clock.advance(defaultTtlMs);
    await note(at, [lease]);
    expect(await at.inspect(lease.resource)).toEqual(lease);
  }),

  guarantee('a hold that ran out is reopened by nobody', async (at) => {
    const hold = await at.putHold({ resource: fresh() });
    await at.clock.advance(defaultTtlMs);
    await note(at, [hold]);
    expect((await at.history(hold.resource)).slice(1)).toMatchObject([
      { kind: 'reopened', actor: null, reason: null, fencingToken: hold.fencingToken },
    ]);
  }),

  guarantee('a lease that was renewed after it was looked at is not called expired', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    await at.clock.advance(defaultTtlMs - 1);
    await at.renew(lease);
    await at.clock.advance(1);
    expect(await note(at, [lease])).toEqual({ isOurTurn: true, noted: 0 });
    expect(await at.history(lease.resource)).toHaveLength(1);
  }),

  guarantee(
    'a lease that was claimed before its end was noted has the claim in its place',
    async (at) => {
      const lease = await at.grant({ resource: fresh(), owner: 'a' });
      await at.clock.advance(defaultTtlMs);
      const next = await at.grant({ resource: lease.resource, owner: 'b' });
      expect(await note(at, [lease])).toEqual({ isOurTurn: true, noted: 0 });
      await at.clock.advance(defaultTtlMs);
      expect(await note(at, [lease])).toEqual({ isOurTurn: true, noted: 0 });
      expect(await endedOf(at, lease.resource)).toEqual([seen(next)]);
      const kinds = (await at.history(lease.resource)).map(({ kind }) => kind);
      expect(kinds).toEqual(['acquired', 'claimed']);
    },
  ),

  guarantee('each lease on one resource has its own end', async (at) => {
    const resource = fresh();
    for (const owner of ['a', 'b']) {
      const lease = await at.grant({ resource, owner });
      await at.clock.advance(defaultTtlMs);
      await note(at, [lease]);
    }
    const hold = await at.putHold({ resource });
    await at.clock.advance(defaultTtlMs);
    await note(at, [hold]);
    const kinds = (await at.history(resource)).map(({ kind }) => kind);
    expect(kinds).toEqual(['acquired', 'expired', 'claimed', 'expired', 'held', 'reopened']);
  }),

  guarantee(
    'a lease that came alive again by a clock set back, and ended again, is noted once',
    async (at) => {
      const lease = await at.grant({ resource: fresh(), owner: 'a' });
      await at.clock.advance(defaultTtlMs);
      await note(at, [lease]);
      await at.clock.advance(-1_000);
      expect(await at.renew(lease)).toMatchObject({ kind: 'renewed' });
      await at.clock.advance(defaultTtlMs + 2_000);
      await note(at, [lease]);
      const kinds = (await at.history(lease.resource)).map(({ kind }) => kind);
      expect(kinds).toEqual(['acquired', 'expired']);
    },
  ),

  guarantee('what was released, cleared or never there is not noted', async (at) => {
    const gone = await at.grant({ resource: fresh(), owner: 'a' });
    await at.release(gone);
    const cleared = await at.grant({ resource: fresh(), owner: 'a' });
    await at.clock.advance(defaultTtlMs);
    await at.forceRelease(cleared, { reason: null });
    const never = { resource: fresh(), fencingToken: 1 };
    expect(await note(at, [gone, cleared, never])).toEqual({ isOurTurn: true, noted: 0 });
    expect(await at.history(never.resource)).toEqual([]);
  }),

  guarantee('of many noted together each has its line, and the others go on', async (at) => {
    const leases: Lease[] = [];
    for (let count = 0; count < 20; count += 1) {
      leases.push(await at.grant({ resource: fresh(), owner: 'a' }));
    }
    await at.clock.advance(defaultTtlMs);
    const claimed = leases.slice(0, 5);
    for (const { resource } of claimed) await at.grant({ resource, owner: 'b' });
    expect(await note(at, leases)).toEqual({ isOurTurn: true, noted: 15 });
    for (const lease of leases) {
      const last = (await at.history(lease.resource)).at(-1);
      expect(last?.kind).toBe(claimed.includes(lease) ? 'claimed' : 'expired');
    }
  }),

  guarantee('two who note the same ends at once write each once', async (at) => {
    const leases: Lease[] = [];
    for (let count = 0; count < 20; count += 1) {
      leases.push(await at.grant({ resource: fresh(), owner: 'a' }));
    }
    await at.clock.advance(defaultTtlMs);
    const outcomes = await Promise.all([
      note(at, leases),
      note(at, [...leases].reverse()),
      note(at, leases),
    ]);
    // One of them may have found rows in the hands of another, and would come again.
    await note(at, leases);
    expect(outcomes.every(({ isOurTurn }) => isOurTurn)).toBe(true);
    for (const lease of leases) expect(await at.history(lease.resource)).toHaveLength(2);
  }),

  guarantee('only one process at a time notes ends, until its turn has lapsed', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    const other = await at.grant({ resource: fresh(), owner: 'a' });
    await at.clock.advance(defaultTtlMs);
    const turn = { holder: fresh('one'), turnMs: 5_000 };
    const rival = { holder: fresh('two'), turnMs: 5_000 };
    await at.clock.advance(24 * 60 * 60 * 1_000);
    expect(await note(at, [lease], turn)).toEqual({ isOurTurn: true, noted: 1 });
    await at.clock.advance(4_999);
    expect(await note(at, [other], rival)).toEqual({ isOurTurn: false, noted: 0 });
    expect(await at.history(other.resource)).toHaveLength(1);
    await at.clock.advance(1);
    expect(await note(at, [other], rival)).toEqual({ isOurTurn: true, noted: 1 });
    expect(await note(at, [other], turn)).toEqual({ isOurTurn: false, noted: 0 });
  }),

  guarantee('a turn that a clock since set back gave is nobody’s', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a', ttlMs: 1_000 });
    await at.clock.advance(60_000);
    await note(at, [lease], { holder: fresh('one'), turnMs: 5_000 });
    await at.clock.advance(-50_000);
    const second = await at.grant({ resource: fresh(), owner: 'a', ttlMs: 100 });
    await at.clock.advance(100);
    const turn = { holder: fresh('two'), turnMs: 5_000 };
    expect(await note(at, [second], turn)).toEqual({ isOurTurn: true, noted: 1 });
  }),

  guarantee('ended leases come by their ends, from a moment on, so many at most', async (at) => {
    const sinceMs = await at.now();
    const leases: Lease[] = [];
    for (const ttlMs of [300, 100, 200]) {
      leases.push(await at.grant({ resource: fresh(), owner: 'a', ttlMs }));
    }
    await at.clock.advance(300);
    const [third, first, second] = leases.map(seen);
    const own = async (query: { sinceMs: number | null; limit: number }) =>
      (await at.store.endedLeases(query)).outcome.filter((ended) =>
        leases.some((lease) => lease.resource === ended.resource),
      );
    expect(await own({ sinceMs, limit: 1_000 })).toEqual([first, second, third]);
    expect(await own({ sinceMs: sinceMs + 100, limit: 1_000 })).toEqual([second, third]);
    expect(await own({ sinceMs: null, limit: 100_000 })).toEqual([first, second, third]);
    expect((await at.store.endedLeases({ sinceMs, limit: 2 })).outcome).toHaveLength(2);
    expect((await at.store.endedLeases({ sinceMs, limit: 2 })).nowMs).toBe(await at.now());
  }),
];

function seen({ resource, fencingToken }: EndedLease): EndedLease {
  return { resource, fencingToken };
}

async function endedOf(at: Driver, resource: string): Promise<readonly EndedLease[]> {
  const { outcome } = await at.store.endedLeases({ sinceMs: null, limit: 1_000_000 });
  return outcome.filter((lease) => lease.resource === resource);
}

/** The tests share a store: by default all of them are one process. */
function note(
  at: Driver,
  leases: readonly EndedLease[],
  turn: { readonly holder: string; readonly turnMs: number } = { holder: 'the tests', turnMs: 1 },
) {
  return at.store.noteEnds({ ...turn, leases: leases.map(seen) });
}
