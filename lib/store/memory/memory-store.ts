import { StoreUnavailable } from '../../locks/errors';
import type { LockEvent } from '../../locks/events';
import type { Dated, EventsPage, EventsQuery, LockStore } from '../../locks/lock-store';
import { askersOf, noteDenials, seen, tidyDenials } from './contention';
import { acquire, noteRenewals, release, renew } from './lease-verbs';
import { listPage } from './list';
import { askRelease, forceRelease, hold } from './operator-verbs';
import { lockUsage, usage } from './usage';
import { createMemoryTables, type MemoryTables } from './tables';

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
  let isClosed = false;

  function assertOpen(): void {
    if (isClosed) throw new StoreUnavailable('The store is closed');
  }

  async function decide<T>(verb: (nowMs: number) => T): Promise<Dated<T>> {
    assertOpen();
    const readAtMs = performance.now();
    const nowMs = clock();
    return Promise.resolve({ outcome: verb(nowMs), nowMs, readAtMs });
  }

  return {
    acquire: (call) => decide((nowMs) => acquire(tables, call, nowMs)),
    renew: (call) => decide((nowMs) => renew(tables, call, nowMs)),
    release: (call) => decide((nowMs) => release(tables, call, nowMs)),
    inspect: (resource) =>
      decide((nowMs) => {
        const lease = tables.leases.get(resource);
        return lease === undefined ? null : seen(tables, lease, nowMs);
      }),
    list: (query) => decide((nowMs) => listPage(tables, query, nowMs)),
    noteDenials: async (denials) => {
      await decide((nowMs) => noteDenials(tables, denials, nowMs));
    },
    noteRenewals: async (notes) => {
      await decide(() => noteRenewals(tables, notes));
    },
    tidyDenials: async () => (await decide((nowMs) => tidyDenials(tables, nowMs))).outcome,
    askers: (resource) => decide((nowMs) => askersOf(tables, resource, nowMs)),
    forceRelease: (calls) => decide((nowMs) => forceRelease(tables, calls, nowMs)),
    hold: (call) => decide((nowMs) => hold(tables, call, nowMs)),
    askRelease: (call) => decide((nowMs) => askRelease(tables, call, nowMs)),
    lockUsage: (query) => decide(() => lockUsage(tables.events, query)),
    usage: (query) => decide(() => usage(tables.events, query)),
    async events(query) {
      assertOpen();
      return Promise.resolve(eventsPage(tables.events, query));
    },
    async ping() {
      assertOpen();
      return Promise.resolve();
    },
    close() {
      isClosed = true;
      return Promise.resolve();
    },
  };
}

function eventsPage(events: readonly LockEvent[], query: EventsQuery): EventsPage {
  const { beforeId } = query;
  const older = events
    .filter((event) => event.resource === query.resource)
    .filter((event) => beforeId === null || Number(event.id) < Number(beforeId))
    .reverse();
  const page = older.slice(0, query.limit);
  const isLast = older.length <= query.limit;
  return { events: page, nextBeforeId: isLast ? null : (page.at(-1)?.id ?? null) };
}
