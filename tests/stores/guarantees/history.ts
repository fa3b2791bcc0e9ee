import { expect } from 'vitest';

import type { LockEvent } from '@/lib/locks/events';
import type { Lease } from '@/lib/locks/lease';
import type { EventsPage, EventsPosition } from '@/lib/locks/trail';

import { defaultActor, defaultReason, defaultTtlMs, fresh, historyOf } from '../drive';
import { guarantee } from '../store-under-test';

/** Every change leaves its line in the history, and nothing else does. */
export const historyGuarantees = [
  guarantee('a grant of a free resource is on record', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a', requestId: 'r-1' });
    expect(factsOf(await at.history(lease.resource))).toEqual([
      { ...about(lease), atMs: await at.now(), kind: 'acquired', requestId: 'r-1' },
    ]);
  }),

  guarantee(
    'a grant anew is on record with how long the lease before had been held',
    async (at) => {
      const first = await at.grant({ resource: fresh(), owner: 'a' });
      await at.clock.advance(1_234);
      const again = await at.grant({ resource: first.resource, owner: 'a', requestId: 'r-2' });
      expect(factsOf(await at.history(first.resource)).slice(1)).toEqual([
        {
          ...about(again),
          atMs: await at.now(),
          kind: 'reacquired',
          previousOwner: 'a',
          heldMs: 1_234,
          requestId: 'r-2',
        },
      ]);
    },
  ),

  guarantee('a claim is on record with the owner before and how long it had held', async (at) => {
    const first = await at.grant({ resource: fresh(), owner: 'a', client: 'one' });
    await at.clock.advance(2_000);
    await at.renew(first);
    await at.clock.advance(defaultTtlMs + 50_000);
    const next = await at.grant({ resource: first.resource, owner: 'b', client: 'two' });
    expect(factsOf(await at.history(first.resource)).slice(1)).toEqual([
      {
        ...about(next),
        atMs: await at.now(),
        kind: 'claimed',
        previousOwner: 'a',
        heldMs: 2_000 + defaultTtlMs,
      },
    ]);
  }),

  guarantee('a release is on record with how long the lease had been held', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    await at.clock.advance(777);
    await at.release(lease, { requestId: 'r-3' });
    expect(factsOf(await at.history(lease.resource)).slice(1)).toEqual([
      { ...about(lease), atMs: await at.now(), kind: 'released', heldMs: 777, requestId: 'r-3' },
    ]);
  }),

  guarantee('a forced end is on record with who, why and whom', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    await at.clock.advance(500);
    await at.forceRelease(lease, { requestId: 'r-4' });
    expect(factsOf(await at.history(lease.resource)).slice(1)).toEqual([
      {
        ...about(lease),
        atMs: await at.now(),
        kind: 'force_released',
        previousOwner: 'a',
        actor: defaultActor,
        reason: defaultReason,
        heldMs: 500,
        requestId: 'r-4',
      },
    ]);
  }),

  guarantee('the clearing of an expired row is on record', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    await at.clock.advance(defaultTtlMs + 9_000);
    await at.forceRelease(lease, { reason: null });
    expect(factsOf(await at.history(lease.resource)).slice(1)).toMatchObject([
      {
        atMs: await at.now(),
        kind: 'cleared',
        owner: 'a',
        fencingToken: lease.fencingToken,
        actor: defaultActor,
        reason: null,
        heldMs: defaultTtlMs,
      },
    ]);
  }),

  guarantee('a hold is on record from its start over its prolonging to its end', async (at) => {
    const hold = await at.putHold({ resource: fresh(), requestId: 'r-5' });
    const { resource, fencingToken } = hold;
    const atMs = await at.now();
    await at.clock.advance(1_000);
    const prolonged = await at.putHold({ resource, fencingToken, reason: 'still at it' });
    await at.clock.advance(1_000);
    await at.forceRelease(prolonged, { actor: 'bob', reason: 'all done' });
    const byAnn = { actor: defaultActor, kind: 'held' };
    expect(factsOf(await at.history(resource))).toEqual([
      { ...about(hold), ...byAnn, atMs, reason: defaultReason, requestId: 'r-5' },
      { ...about(prolonged), ...byAnn, atMs: atMs + 1_000, reason: 'still at it' },
      {
        ...about(prolonged),
        atMs: atMs + 2_000,
        kind: 'reopened',
        actor: 'bob',
        reason: 'all done',
        heldMs: 2_000,
      },
    ]);
  }),

  guarantee('a hold of an expired lock is on record with the owner before', async (at) => {
    const over = await at.grant({ resource: fresh(), owner: 'a' });
    await at.clock.advance(defaultTtlMs);
    const hold = await at.putHold({ resource: over.resource });
    expect(factsOf(await at.history(over.resource)).slice(1)).toMatchObject([
      { kind: 'held', fencingToken: hold.fencingToken, previousOwner: 'a', actor: defaultActor },
    ]);
  }),

  guarantee('an evicting hold is on record as a forced end and then a hold', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    const { resource, fencingToken } = lease;
    const hold = await at.putHold({ resource, fencingToken });
    expect(factsOf(await at.history(resource)).slice(1)).toMatchObject([
      { kind: 'force_released', owner: 'a', fencingToken, previousOwner: 'a' },
      { kind: 'held', owner: hold.owner, fencingToken: hold.fencingToken },
    ]);
  }),

  guarantee('a force-release that keeps closed is on record as both', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    await at.forceRelease(lease, { holdMs: 1_000 });
    const hold = await at.inspect(lease.resource);
    expect(factsOf(await at.history(lease.resource)).slice(1)).toMatchObject([
      { kind: 'force_released', owner: 'a', fencingToken: lease.fencingToken },
      {
        kind: 'held',
        owner: hold?.owner,
        fencingToken: hold?.fencingToken,
        expiresAtMs: hold?.expiresAtMs,
        actor: defaultActor,
        reason: defaultReason,
      },
    ]);
  }),

  guarantee("the taking over of another's hold is on record as a reopening", async (at) => {
    const first = await at.putHold({ resource: fresh(), actor: 'bob' });
    const { resource, fencingToken } = first;
    const hold = await at.putHold({ resource, fencingToken });
    expect(factsOf(await at.history(resource)).slice(1)).toMatchObject([
      { kind: 'reopened', fencingToken, actor: defaultActor, reason: defaultReason },
      { kind: 'held', fencingToken: hold.fencingToken, actor: defaultActor },
    ]);
  }),

  guarantee('a request to let go is on record', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    await at.askRelease(lease, { requestId: 'r-6' });
    expect(factsOf(await at.history(lease.resource)).slice(1)).toEqual([
      {
        ...about(lease),
        atMs: await at.now(),
        kind: 'release_requested',
        actor: defaultActor,
        reason: defaultReason,
        requestId: 'r-6',
      },
    ]);
  }),

  guarantee('what was refused leaves no line', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    const { resource } = lease;
    await at.acquire({ resource, owner: 'b' });
    await at.release({ ...lease, owner: 'b' });
    await at.forceRelease(lease, { reason: null });
    await at.forceRelease({ ...lease, fencingToken: lease.fencingToken + 1 });
    await at.hold({ resource });
    await at.askRelease({ ...lease, fencingToken: lease.fencingToken + 1 });
    expect(await at.history(resource)).toHaveLength(1);
  }),

  guarantee('the history outlives the row', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    await at.release(lease);
    const next = await at.grant({ resource: lease.resource, owner: 'b' });
    await at.forceRelease(next);
    const kinds = (await at.history(lease.resource)).map(({ kind }) => kind);
    expect(kinds).toEqual(['acquired', 'released', 'acquired', 'force_released']);
  }),

  guarantee('the history comes newest first, also within one millisecond', async (at) => {
    const resource = fresh();
    for (const owner of ['a', 'b', 'c']) await at.release(await at.grant({ resource, owner }));
    const page = await at.store.events(historyOf(resource));
    const seen = page.events.map(({ kind, owner }) => `${kind} ${owner ?? ''}`);
    expect(seen).toEqual([
      'released c',
      'acquired c',
      'released b',
      'acquired b',
      'released a',
      'acquired a',
    ]);
    const ids = page.events.map(({ id }) => Number(id));
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => b - a));
  }),

  guarantee('the pages of a history neither repeat nor skip while it grows', async (at) => {
    const resource = fresh();
    for (let count = 0; count < 12; count += 1) await at.grant({ resource, owner: 'a' });
    const whole = (await at.history(resource)).map(({ id }) => id).reverse();
    const paged: string[] = [];
    let after: EventsPosition | null = null;
    do {
      const page: EventsPage = await at.store.events(historyOf(resource, { limit: 5, after }));
      paged.push(...page.events.map(({ id }) => id));
      after = page.next;
      await at.grant({ resource, owner: 'a' });
    } while (after !== null);
    expect(paged).toEqual(whole);
  }),

  guarantee('the last page of a history says so, also when it is full', async (at) => {
    const resource = fresh();
    for (let count = 0; count < 4; count += 1) await at.grant({ resource, owner: 'a' });
    const full = await at.store.events(historyOf(resource, { limit: 4 }));
    expect(full.events).toHaveLength(4);
    expect(full.next).toBeNull();
    const first = await at.store.events(historyOf(resource, { limit: 3 }));
    expect(first.next?.id).toBe(first.events[2]?.id);
    const none = await at.store.events(historyOf(fresh(), { limit: 3 }));
    expect(none).toEqual({ events: [], next: null });
  }),

  guarantee('a history is that of one resource, by its exact name', async (at) => {
    const resource = fresh('Audit_%*');
    const others = [resource.toUpperCase(), resource.toLowerCase(), `${resource}x`, `x${resource}`];
    others.push(
      resource.replace('_', 'x'),
      resource.replace('%', 'yy'),
      resource.replace('*', 'z'),
    );
    for (const other of others) await at.grant({ resource: other, owner: 'a' });
    expect(await at.history(resource)).toEqual([]);
    await at.grant({ resource, owner: 'a' });
    expect((await at.history(resource)).map((event) => event.resource)).toEqual([resource]);
  }),
];

function factsOf(events: readonly LockEvent[]): Omit<LockEvent, 'id'>[] {
  return events.map(({ id: _id, ...facts }) => facts);
}

/** An event of a lease, with everything that does not follow from the lease left empty. */
function about(lease: Lease) {
  return {
    resource: lease.resource,
    owner: lease.owner,
    client: lease.client,
    fencingToken: lease.fencingToken,
    expiresAtMs: lease.expiresAtMs,
    previousOwner: null,
    actor: null,
    reason: null,
    count: null,
    heldMs: null,
    requestId: null,
    subject: null,
  };
}
