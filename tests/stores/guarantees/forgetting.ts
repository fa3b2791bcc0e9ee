import { expect } from 'vitest';

import type { ForgetCall, ForgetOutcome } from '@/lib/locks/upkeep';

import { defaultTtlMs, fresh, type Driver } from '../drive';
import { guarantee } from '../store-under-test';

const dayMs = 24 * 60 * 60 * 1_000;
const own = { wantsOwnStore: true };

/** What is older than the retention goes, in batches; nothing else does. */
export const forgettingGuarantees = [
  guarantee(
    'events older than the retention are forgotten, to the millisecond',
    async (at) => {
      const resource = fresh();
      await at.release(await at.grant({ resource, owner: 'a' }));
      await at.clock.advance(1);
      await at.release(await at.grant({ resource, owner: 'b' }));
      await at.clock.advance(dayMs);
      expect(await forget(at)).toMatchObject({ isOurTurn: true, events: 2, next: null });
      expect((await at.history(resource)).map(({ owner }) => owner)).toEqual(['b', 'b']);
      await at.clock.advance(1);
      expect(await forget(at)).toMatchObject({ events: 2 });
      expect(await at.history(resource)).toEqual([]);
    },
    own,
  ),

  guarantee(
    'a row goes when its lease ended before the retention and that is on record, and its events with it',
    async (at) => {
      const lease = await at.grant({ resource: fresh(), owner: 'a' });
      await at.clock.advance(defaultTtlMs + dayMs + 1);
      expect(await forget(at)).toMatchObject({ locks: 0, events: 0 });
      await note(at, lease);
      expect(await forget(at)).toMatchObject({ locks: 1, events: 1 });
      expect(await at.inspect(lease.resource)).toBeNull();
      expect((await at.history(lease.resource)).map(({ kind }) => kind)).toEqual(['expired']);
    },
    own,
  ),

  guarantee(
    'a row whose lease ended at the retention stays, and one that was claimed since',
    async (at) => {
      const lease = await at.grant({ resource: fresh(), owner: 'a' });
      const claimed = await at.grant({ resource: fresh(), owner: 'a' });
      await at.clock.advance(defaultTtlMs);
      await note(at, lease);
      await note(at, claimed);
      await at.clock.advance(dayMs);
      await at.grant({ resource: claimed.resource, owner: 'b' });
      expect(await forget(at)).toMatchObject({ locks: 0 });
      expect(await at.inspect(lease.resource)).toEqual(lease);
      await at.clock.advance(1);
      expect(await forget(at)).toMatchObject({ locks: 1 });
      expect(await at.inspect(claimed.resource)).toMatchObject({ owner: 'b' });
    },
    own,
  ),

  guarantee(
    'the events of a lease that goes on stay, however old',
    async (at) => {
      const lease = await at.grant({ resource: fresh(), owner: 'a', ttlMs: 10 * dayMs });
      await at.clock.advance(9 * dayMs);
      expect(await forget(at)).toMatchObject({ events: 0 });
      expect(await at.history(lease.resource)).toHaveLength(1);
      await at.release(lease);
      expect(await forget(at)).toMatchObject({ events: 1 });
      expect((await at.history(lease.resource)).map(({ kind }) => kind)).toEqual(['released']);
    },
    own,
  ),

  guarantee(
    'an evicted owner is still told for a day, with its grant older than the retention',
    async (at) => {
      const lease = await at.grant({ resource: fresh(), owner: 'a', ttlMs: 10 * dayMs });
      await at.clock.advance(9 * dayMs);
      await at.forceRelease(lease);
      await forget(at);
      expect(await at.renew(lease)).toMatchObject({ kind: 'lost', forced: { by: 'ann' } });
      await at.clock.advance(dayMs + 1);
      await forget(at);
      // The first forgets the eviction, and the next what was kept for it.
      await forget(at);
      expect(await at.history(lease.resource)).toEqual([]);
      expect(await at.renew(lease)).toEqual({ kind: 'not-found' });
    },
    own,
  ),

  guarantee(
    'events of keys and people are forgotten like others',
    async (at) => {
      await at.noteAccess('signed_in', 'ann');
      await at.clock.advance(dayMs + 1);
      await at.noteAccess('signed_in', 'bob');
      await forget(at);
      const { events } = await at.trail({ kinds: ['signed_in'] });
      expect(events.map(({ actor }) => actor)).toEqual(['bob']);
    },
    own,
  ),

  guarantee(
    'forgetting lowers no token and no id',
    async (at) => {
      const resource = fresh();
      const lease = await at.grant({ resource, owner: 'a' });
      await at.release(lease);
      const before = (await at.history(resource)).map(({ id }) => Number(id));
      await at.clock.advance(2 * dayMs);
      expect(await forget(at)).toMatchObject({ events: 2 });
      const next = await at.grant({ resource, owner: 'a' });
      expect(next.fencingToken).toBeGreaterThan(lease.fencingToken);
      expect(Number(next.id)).toBeGreaterThan(Number(lease.id));
      const [event] = await at.history(resource);
      expect(Number(event?.id)).toBeGreaterThan(Math.max(...before));
    },
    own,
  ),

  guarantee(
    'a batch looks at so many and says where it ended, also past what it keeps',
    async (at) => {
      const kept = await at.grant({ resource: fresh(), owner: 'a', ttlMs: 10 * dayMs });
      const gone = fresh();
      for (let count = 0; count < 3; count += 1) {
        await at.release(await at.grant({ resource: gone, owner: 'a' }));
        await at.clock.advance(1);
      }
      await at.clock.advance(2 * dayMs);
      const counts = [];
      let after: ForgetCall['after'] = null;
      do {
        const batch: ForgetOutcome = await forget(at, { batchMax: 2, after });
        counts.push(batch.events);
        after = batch.next;
      } while (after !== null && counts.length < 100);
      expect(counts).toEqual([1, 2, 2, 1]);
      expect(await at.history(kept.resource)).toHaveLength(1);
      expect(await at.history(gone)).toEqual([]);
    },
    own,
  ),

  guarantee(
    'only one process at a time forgets',
    async (at) => {
      await at.release(await at.grant({ resource: fresh(), owner: 'a' }));
      await at.clock.advance(2 * dayMs);
      await forget(at, { holder: 'one', batchMax: 1 });
      const refused = { isOurTurn: false, locks: 0, events: 0, next: null };
      expect(await forget(at, { holder: 'two' })).toEqual(refused);
      await at.clock.advance(5_000);
      expect(await forget(at, { holder: 'two' })).toMatchObject({ isOurTurn: true, events: 1 });
    },
    own,
  ),
];

function forget(at: Driver, more: Partial<ForgetCall> = {}): Promise<ForgetOutcome> {
  const call = { holder: 'one', turnMs: 5_000, retentionMs: dayMs, batchMax: 100, after: null };
  return at.store.forgetOld({ ...call, ...more });
}

function note(at: Driver, { resource, fencingToken }: { resource: string; fencingToken: number }) {
  return at.store.noteEnds({ holder: 'one', turnMs: 1, leases: [{ resource, fencingToken }] });
}
