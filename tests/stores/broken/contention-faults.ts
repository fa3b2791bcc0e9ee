import type { LockStore } from '@/lib/locks/lock-store';
import { createMemoryStore } from '@/lib/store/memory/memory-store';
import type { MemoryTables } from '@/lib/store/memory/tables';

import type { MemoryParts } from '../memory-under-test';
import type { BrokenStore } from './broken-store';

/** Faults in what is remembered of denied acquires. */
export const contentionFaults: readonly BrokenStore[] = [
  {
    name: 'remembers only the last report',
    vary: beforeNoting((tables) => {
      for (const contended of tables.contended.values()) contended.askers = [];
    }),
    caughtBy: ['what several instances have counted of an owner is added up'],
  },
  {
    name: 'tells the history at every report',
    vary: beforeNoting((tables) => {
      for (const contended of tables.contended.values()) contended.toldAtMs = null;
    }),
    caughtBy: ['the history is told of denials at most once in ten seconds, and of all'],
  },
  {
    name: 'forgets what it did not tell at once',
    vary: beforeNoting((tables) => {
      for (const contended of tables.contended.values()) contended.untold = 0;
    }),
    caughtBy: ['the history is told of denials at most once in ten seconds, and of all'],
  },
  {
    name: 'takes the holder for one who asks',
    vary: ({ store, tables, clock }) => ({
      ...store,
      askers: (resource) => withoutLeases(tables, clock).askers(resource),
    }),
    caughtBy: ['whoever got the lock asks no more, and the others still do'],
  },
  {
    name: 'never forgets who asked',
    vary: ({ store }) => {
      const askers = new Map<string, Awaited<ReturnType<LockStore['askers']>>>();
      return {
        ...store,
        async askers(resource) {
          const now = await store.askers(resource);
          const kept = now.outcome.length > 0 ? now : (askers.get(resource) ?? now);
          askers.set(resource, kept);
          return kept;
        },
      };
    },
    caughtBy: ['who was denied in the last minute asks for the lock, and no longer'],
  },
  {
    name: 'tells owners apart without their clients',
    vary: ({ store }) => ({
      ...store,
      noteDenials: (denials) =>
        store.noteDenials(denials.map((denied) => ({ ...denied, client: null }))),
    }),
    caughtBy: ['the same owner of two clients, or of none, is several who ask'],
  },
  {
    name: 'counts attempts where owners are meant',
    vary: ({ store }) => ({
      ...store,
      list: (query) => {
        const { askedMin } = query.filter;
        return store.list({
          ...query,
          filter: { ...query.filter, askedMin: askedMin === null ? null : Math.min(1, askedMin) },
        });
      },
    }),
    caughtBy: ['the list finds and counts the locks that so many ask for'],
  },
];

function beforeNoting(spoil: (tables: MemoryTables) => void): (parts: MemoryParts) => LockStore {
  return ({ store, tables }) => ({
    ...store,
    noteDenials(denials) {
      spoil(tables);
      return store.noteDenials(denials);
    },
  });
}

function withoutLeases(tables: MemoryTables, clock: () => number): LockStore {
  return createMemoryStore({ clock, tables: { ...tables, leases: new Map() } });
}
