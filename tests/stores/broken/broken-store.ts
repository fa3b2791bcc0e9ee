import type { LockStore } from '@/lib/locks/lock-store';

import type { MemoryParts } from '../memory-under-test';

/** A store with one fault that lock stores have had in public, and the guarantees that must find it out. */
export interface BrokenStore {
  readonly name: string;
  readonly vary: (parts: MemoryParts) => LockStore;
  readonly caughtBy: readonly string[];
}
