import { expect } from 'vitest';

import {
  comparePositions,
  feedOrigin,
  type FeedEvent,
  type FeedPosition,
} from '@/lib/locks/event-feed';

import { fresh, type Driver } from '../drive';
import { guarantee } from '../store-under-test';

/** The history as it is followed from outside: nothing lost, nothing doubled, one order. */
export const feedGuarantees = [
  guarantee('the feed tells every change, in the order of each history', async (at) => {
    const start = await endOf(at);
    const names = [fresh(), fresh(), fresh()];
    for (const owner of ['a', 'b', 'c']) {
      await Promise.all(
        names.map(async (resource) => at.release(await at.grant({ resource, owner }))),
      );
    }
    const told = await readAfter(at, start, 4);
    for (const resource of names) {
      const mine = told.map(({ event }) => event).filter((event) => event.resource === resource);
      expect(mine).toEqual(await at.history(resource));
    }
  }),

  guarantee('the feed has one order, and a place for each event in it', async (at) => {
    const start = await endOf(at);
    await Promise.all(
      Array.from({ length: 40 }, () => at.grant({ resource: fresh(), owner: 'a' })),
    );
    const places = (await readAfter(at, start, 7)).map(({ position }) => position);
    expect(places.length).toBeGreaterThanOrEqual(40);
    places.slice(1).forEach((place, index) => {
      expect(comparePositions(place, places[index] ?? place)).toBeGreaterThan(0);
    });
  }),

  guarantee('a reader beside writers misses nothing and sees nothing twice', async (at) => {
    const start = await endOf(at);
    const names = Array.from({ length: 150 }, () => fresh('feed'));
    const state = { isWriting: true };
    const writing = Promise.all(
      names.map(async (resource) => at.release(await at.grant({ resource, owner: 'a' }))),
    ).finally(() => (state.isWriting = false));
    const seen: string[] = [];
    let place = start;
    let isLast = false;
    while (!isLast) {
      isLast = !state.isWriting;
      const told = await readAfter(at, place, 11);
      place = told.at(-1)?.position ?? place;
      seen.push(...told.map(({ event }) => `${event.kind} ${event.resource ?? ''}`));
    }
    await writing;
    const mine = seen.filter((line) => names.some((name) => line.endsWith(name)));
    const expected = names.flatMap((name) => [`acquired ${name}`, `released ${name}`]);
    expect(mine.toSorted()).toEqual(expected.toSorted());
  }),

  guarantee('the newest events come oldest first, and only as many as asked for', async (at) => {
    const names = [fresh(), fresh(), fresh()];
    for (const resource of names) await at.grant({ resource, owner: 'a' });
    const { events, isKnown } = await at.store.feed({ after: null, limit: 2 });
    expect(isKnown).toBe(true);
    expect(events.map(({ event }) => event.resource)).toEqual(names.slice(1));
  }),

  guarantee('a place is known while its event is there, and no other is', async (at) => {
    await at.grant({ resource: fresh(), owner: 'a' });
    const end = await endOf(at);
    const isKnown = async (after: FeedPosition) =>
      (await at.store.feed({ after, limit: 1 })).isKnown;
    expect(await isKnown(end)).toBe(true);
    expect(await isKnown({ ...end, id: end.id + 1_000_000 })).toBe(false);
    expect(await isKnown({ ...end, transaction: end.transaction + 1 })).toBe(false);
  }),

  guarantee(
    'the place before the first event is known from the start',
    async (at) => {
      const empty = await at.store.feed({ after: feedOrigin, limit: 10 });
      expect(empty).toMatchObject({ isKnown: true, events: [] });
      const { resource } = await at.grant({ resource: fresh(), owner: 'a' });
      const { isKnown, events } = await at.store.feed({ after: feedOrigin, limit: 10 });
      expect(isKnown).toBe(true);
      expect(events.map(({ event }) => event.resource)).toEqual([resource]);
    },
    { wantsOwnStore: true },
  ),

  guarantee('a tally counts each kind after a place, up to a limit', async (at) => {
    const start = await endOf(at);
    const leases = [];
    for (const owner of ['a', 'b', 'c']) leases.push(await at.grant({ resource: fresh(), owner }));
    for (const lease of leases.slice(1)) await at.forceRelease(lease);
    const whole = await at.store.tally({ after: start, limit: 100 });
    expect(whole.counts).toEqual({ acquired: 3, force_released: 2 });
    const first = await at.store.tally({ after: start, limit: 4 });
    expect(first.counts).toEqual({ acquired: 3, force_released: 1 });
    const rest = await at.store.tally({ after: first.end, limit: 100 });
    expect(rest).toEqual({ ...whole, counts: { force_released: 1 } });
    expect(await at.store.tally({ after: rest.end, limit: 100 })).toEqual({ ...rest, counts: {} });
  }),

  guarantee('who watches is told of events that the feed has, and of renewals', async (at) => {
    const start = await endOf(at);
    let told = 0;
    const renewed: string[] = [];
    const stop = at.store.watch({
      onEvents: () => (told += 1),
      onRenewed: ({ resource }) => renewed.push(resource),
    });
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    expect(told).toBe(1);
    expect(await readAfter(at, start, 10)).toHaveLength(1);
    await at.renew(lease);
    await at.renew({ ...lease, owner: 'b' });
    expect(renewed).toEqual([lease.resource]);
    stop();
    await at.renew(lease);
    expect(renewed).toEqual([lease.resource]);
  }),
];

async function endOf(at: Driver): Promise<FeedPosition> {
  const { events } = await at.store.feed({ after: null, limit: 1 });
  return events.at(-1)?.position ?? feedOrigin;
}

/** All that there is after a place, page by page. */
async function readAfter(
  at: Driver,
  start: FeedPosition,
  limit: number,
): Promise<readonly FeedEvent[]> {
  const told: FeedEvent[] = [];
  let page: readonly FeedEvent[];
  do {
    const after = told.at(-1)?.position ?? start;
    page = (await at.store.feed({ after, limit })).events;
    told.push(...page);
  } while (page.length === limit);
  return told;
}
