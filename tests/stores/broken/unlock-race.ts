import { setImmediate as turn } from 'node:timers/promises';

import { stateAt } from '@/lib/locks/lease';

import type { BrokenStore } from './broken-store';

/** The classic fault of locks in Redis: GET and compare, then DEL. Whoever got the lock in between loses it. */
export const unlockRace: BrokenStore = {
  name: 'compares the owner in one step and deletes in the next',
  vary: ({ store, tables, clock }) => ({
    ...store,
    release: async (call) => {
      const lease = tables.leases.get(call.resource);
      const isOwn = lease?.owner === call.owner && lease.hold === null;
      if (!isOwn || stateAt(lease, clock()) === 'expired') return store.release(call);
      await turn();
      tables.leases.delete(call.resource);
      return { outcome: { kind: 'released' }, nowMs: clock(), readAtMs: performance.now() };
    },
  }),
  caughtBy: [
    'a release that meets the end of its lease never frees the next grant',
    'of many releases of one lease exactly one releases',
  ],
};
