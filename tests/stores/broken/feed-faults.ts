import type { FeedQuery } from '@/lib/locks/event-feed';
import type { LockStore } from '@/lib/locks/lock-store';

import type { BrokenStore } from './broken-store';

/** Feeds that lose, repeat or mistake their place. */
export const feedFaults: readonly BrokenStore[] = [
  {
    name: 'skips an event at the end of a full page of the feed',
    vary: ({ store }) => ({
      ...store,
      async feed(query) {
        const page = await store.feed(query);
        const isFull = query.after !== null && page.events.length === query.limit;
        return isFull && query.limit > 2 ? { ...page, events: page.events.toSpliced(-2, 1) } : page;
      },
    }),
    caughtBy: [
      'the feed tells every change, in the order of each history',
      'a reader beside writers misses nothing and sees nothing twice',
    ],
  },
  {
    name: 'begins a page of the feed with the event of its place',
    vary: ({ store }) => ({
      ...store,
      feed: (query) =>
        store.feed(
          query.after === null || query.after.id === 0
            ? query
            : { ...query, after: { ...query.after, id: query.after.id - 1 } },
        ),
    }),
    caughtBy: [
      'the feed tells every change, in the order of each history',
      'a reader beside writers misses nothing and sees nothing twice',
    ],
  },
  {
    name: 'tells the newest events newest first',
    vary: ({ store }) => ({
      ...store,
      async feed(query) {
        const page = await store.feed(query);
        return query.after === null ? { ...page, events: page.events.toReversed() } : page;
      },
    }),
    caughtBy: ['the newest events come oldest first, and only as many as asked for'],
  },
  {
    name: 'knows every place of the feed',
    vary: ({ store }) => ({ ...store, feed: (query) => known(store, query, true) }),
    caughtBy: ['a place is known while its event is there, and no other is'],
  },
  {
    name: 'does not know the place before the first event',
    vary: ({ store }) => ({
      ...store,
      feed: (query) => known(store, query, query.after === null || query.after.id > 0),
    }),
    caughtBy: ['the place before the first event is known from the start'],
  },
  {
    name: 'tallies beyond the limit',
    vary: ({ store }) => ({
      ...store,
      tally: (query) => store.tally({ ...query, limit: query.limit + 1 }),
    }),
    caughtBy: ['a tally counts each kind after a place, up to a limit'],
  },
  {
    name: 'tells nobody of its events',
    vary: ({ store }) => ({
      ...store,
      watch: ({ onRenewed = () => undefined }) => store.watch({ onRenewed }),
    }),
    caughtBy: ['who watches is told of events that the feed has, and of renewals'],
  },
  {
    name: 'goes on telling whoever has stopped watching',
    vary: ({ store }) => ({
      ...store,
      watch(watcher) {
        store.watch(watcher);
        return () => undefined;
      },
    }),
    caughtBy: ['who watches is told of events that the feed has, and of renewals'],
  },
];

async function known(store: LockStore, query: FeedQuery, isKnown: boolean) {
  return { ...(await store.feed(query)), isKnown };
}
