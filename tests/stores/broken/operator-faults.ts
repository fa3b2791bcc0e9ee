import { setImmediate as turn } from 'node:timers/promises';

import { factsOf, writeEvent } from '@/lib/store/memory/tables';

import type { BrokenStore } from './broken-store';

/** Faults in what operators do, and in what is kept of it. */
export const operatorFaults: readonly BrokenStore[] = [
  {
    name: 'sets the tokens back when old rows are cleared away',
    vary: ({ store, tables }) => ({
      ...store,
      forceRelease: async (calls) => {
        const dated = await store.forceRelease(calls);
        const tokens = [...tables.leases.values()].map((lease) => lease.fencingToken);
        tables.fencingToken = Math.max(0, ...tokens);
        return dated;
      },
    }),
    caughtBy: ['clearing away old rows never sets the tokens back'],
  },
  {
    name: 'ends the lease of the moment, not the one that was seen',
    vary: ({ store, tables }) => ({
      ...store,
      forceRelease: (calls) =>
        store.forceRelease(
          calls.map((call) => ({
            ...call,
            fencingToken: tables.leases.get(call.resource)?.fencingToken ?? call.fencingToken,
          })),
        ),
    }),
    caughtBy: [
      'a force-release of another lease than the one now is refused',
      'a force-release never ends the lease that its owner got meanwhile',
      'each of many force-releases is judged alone, and answered in order',
    ],
  },
  {
    name: 'evicts and holds in two steps',
    vary: ({ store }) => ({
      ...store,
      forceRelease: async (calls) => {
        const dated = await store.forceRelease(calls.map((call) => ({ ...call, holdMs: 0 })));
        await turn();
        for (const call of calls) {
          if (call.holdMs === 0) continue;
          const { resource, actor, reason, requestId, holdMs: ttlMs } = call;
          await store.hold({
            resource,
            actor,
            reason: reason ?? '',
            requestId,
            ttlMs,
            fencingToken: null,
          });
        }
        return dated;
      },
    }),
    caughtBy: ['nobody slips in between an eviction and the hold that follows it'],
  },
  {
    name: 'lets a hold be acquired over by a client',
    vary: ({ store, tables }) => ({
      ...store,
      acquire: (call) => {
        if (tables.leases.get(call.resource)?.hold) tables.leases.delete(call.resource);
        return store.acquire(call);
      },
    }),
    caughtBy: [
      'nobody acquires, renews or releases a hold, by whatever name',
      'a force-release can keep the resource closed, in the same step',
      'nobody slips in between an eviction and the hold that follows it',
    ],
  },
  {
    name: 'lets whoever calls itself by the name of a hold release it',
    vary: ({ store, tables }) => ({
      ...store,
      release: (call) => {
        const lease = tables.leases.get(call.resource);
        if (lease?.hold) tables.leases.set(call.resource, { ...lease, hold: null });
        return store.release(call);
      },
    }),
    caughtBy: ['nobody acquires, renews or releases a hold, by whatever name'],
  },
  {
    name: 'loses the history with the row',
    vary: ({ store, tables }) => ({
      ...store,
      events: (query) =>
        query.filter.resource?.kind === 'exact' && tables.leases.has(query.filter.resource.name)
          ? store.events(query)
          : Promise.resolve({ events: [], next: null }),
    }),
    caughtBy: [
      'the history outlives the row',
      'a release is on record with how long the lease had been held',
    ],
  },
  {
    name: 'forgets who ended a lease as soon as another has it',
    vary: ({ store, tables }) => ({
      ...store,
      renew: async (call) => {
        const dated = await store.renew(call);
        const isThere = tables.leases.has(call.resource);
        if (dated.outcome.kind !== 'lost' || !isThere) return dated;
        return { ...dated, outcome: { kind: 'lost', forced: null } };
      },
    }),
    caughtBy: [
      "a forced end is told also when the lock is someone else's by then",
      'a forced end is told also when the resource is held by then',
      'a forced end is told also when a hold evicted the lease',
    ],
  },
  {
    name: 'writes a line of history for a denied acquire',
    vary: ({ store, tables }) => ({
      ...store,
      acquire: async (call) => {
        const dated = await store.acquire(call);
        if (dated.outcome.kind === 'held') {
          const { holder } = dated.outcome;
          writeEvent(tables, { ...factsOf(holder), ...call, atMs: dated.nowMs, kind: 'contended' });
        }
        return dated;
      },
    }),
    caughtBy: [
      'a denied acquire shows the holder and writes nothing',
      'what was refused leaves no line',
    ],
  },
];
