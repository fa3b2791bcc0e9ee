import type { ContentionStore } from '../../locks/contention';
import { StoreUnavailable } from '../../locks/errors';
import type { Dated, LockStore } from '../../locks/lock-store';
import type { RenewalStore } from '../../locks/renewals';
import type { Upkeep } from '../../locks/upkeep';
import type { UsageStore } from '../../locks/usage';
import { createWatchers } from '../watchers';
import { askersOf, noteDenials, seen, tidyDenials } from './contention';
import { trailPage } from './events';
import { feedPage, tallyOf } from './feed';
import { acquire, noteRenewals, release, renew } from './lease-verbs';
import { listPage } from './list';
import { askRelease, forceRelease, hold } from './operator-verbs';
import { createMemoryTables, type MemoryTables } from './tables';
import { endedLeases, forgetOld, noteEnds } from './upkeep';
import { lockUsage, usage } from './usage';

export interface MemoryStoreOptions {
  /** Now, in milliseconds since 1970. Read once in each call. */
  readonly clock: () => number;
  /** Where everything is kept; new and empty unless given. */
  readonly tables?: MemoryTables;
}

/**
 * The specification of `LockStore` that can be run: what every other store must do, in the plainest words. It forgets
 * everything with its process. A verb runs from its first line to its last without giving way, so each is atomic.
 */
export function createMemoryStore({
  clock,
  tables = createMemoryTables(),
}: MemoryStoreOptions): LockStore {
  const watchers = createWatchers();
  let isClosed = false;

  function assertOpen(): void {
    if (isClosed) throw new StoreUnavailable('The store is closed');
  }

  async function decide<T>(verb: (nowMs: number) => T): Promise<Dated<T>> {
    assertOpen();
    const readAtMs = performance.now();
    const nowMs = clock();
    const eventsBefore = tables.events.length;
    const outcome = verb(nowMs);
    if (tables.events.length > eventsBefore) watchers.tellOfEvents();
    return Promise.resolve({ outcome, nowMs, readAtMs });
  }

  return {
    acquire: (call) => decide((nowMs) => acquire(tables, call, nowMs)),
    async renew(call) {
      const dated = await decide((nowMs) => renew(tables, call, nowMs));
      if (dated.outcome.kind === 'renewed') {
        for (const { onRenewed } of watchers.all) onRenewed?.(dated.outcome.lease);
      }
      return dated;
    },
    release: (call) => decide((nowMs) => release(tables, call, nowMs)),
    inspect: (resource) =>
      decide((nowMs) => {
        const lease = tables.leases.get(resource);
        return lease === undefined ? null : seen(tables, lease, nowMs);
      }),
    list: (query) => decide((nowMs) => listPage(tables, query, nowMs)),
    ...besideCalls(tables, decide),
    forceRelease: (calls) => decide((nowMs) => forceRelease(tables, calls, nowMs)),
    hold: (call) => decide((nowMs) => hold(tables, call, nowMs)),
    askRelease: (call) => decide((nowMs) => askRelease(tables, call, nowMs)),
    async events(query) {
      assertOpen();
      return Promise.resolve(trailPage(tables.events, query));
    },
    async feed(query) {
      assertOpen();
      return Promise.resolve(feedPage(tables.events, query));
    },
    async tally(query) {
      assertOpen();
      return Promise.resolve(tallyOf(tables.events, query));
    },
    watch: (watcher) => watchers.watch(watcher),
    ping: async () => {
      await decide(() => null);
    },
    close() {
      isClosed = true;
      return Promise.resolve();
    },
  };
}

type Decide = <T>(verb: (nowMs: number) => T) => Promise<Dated<T>>;

/** What is noted beside the calls, and made of it. */
function besideCalls(
  tables: MemoryTables,
  decide: Decide,
): ContentionStore & RenewalStore & UsageStore & Upkeep {
  return {
    noteDenials: async (denials) => {
      await decide((nowMs) => noteDenials(tables, denials, nowMs));
    },
    noteRenewals: async (notes) => {
      await decide(() => noteRenewals(tables, notes));
    },
    tidyDenials: async () => (await decide((nowMs) => tidyDenials(tables, nowMs))).outcome,
    askers: (resource) => decide((nowMs) => askersOf(tables, resource, nowMs)),
    lockUsage: (query) => decide(() => lockUsage(tables.events, query)),
    usage: (query) => decide(() => usage(tables.events, query)),
    endedLeases: (query) => decide((nowMs) => endedLeases(tables, query, nowMs)),
    noteEnds: async (call) => (await decide((nowMs) => noteEnds(tables, call, nowMs))).outcome,
    forgetOld: async (call) => (await decide((nowMs) => forgetOld(tables, call, nowMs))).outcome,
  };
}
