import type { LockStore } from '@/lib/locks/lock-store';
import { createMemoryStore } from '@/lib/store/memory/memory-store';
import { createMemoryTables, writeEvent, type MemoryTables } from '@/lib/store/memory/tables';

import { startMs, type StoreUnderTest } from './store-under-test';

/** What a variant of the memory store is made from. */
export interface MemoryParts {
  readonly store: LockStore;
  readonly tables: MemoryTables;
  readonly clock: () => number;
}

/** The memory store with its clock pinned; `vary` may put another in its place that shares its tables. */
export function openMemoryStore(
  vary: (parts: MemoryParts) => LockStore = ({ store }) => store,
): StoreUnderTest {
  let nowMs = startMs;
  const clock = () => nowMs;
  const tables = createMemoryTables();
  const store = vary({ store: createMemoryStore({ clock, tables }), tables, clock });
  return {
    store,
    clock: {
      now: clock,
      set(ms) {
        nowMs = ms;
      },
      advance(ms) {
        nowMs += ms;
      },
    },
    setTokenCounter(value) {
      tables.fencingToken = value;
    },
    noteAccess(kind, actor) {
      writeEvent(tables, {
        atMs: clock(),
        kind,
        actor,
        resource: null,
        subject: 'subject',
        requestId: null,
      });
    },
    close: () => store.close(),
  };
}
