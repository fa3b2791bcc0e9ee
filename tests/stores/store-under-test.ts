import type { AccessEventKind } from '@/lib/locks/events';
import type { LockStore } from '@/lib/locks/lock-store';

import { drive, type Driver } from './drive';

/** A store with its clock in the test's hand. */
export interface StoreUnderTest {
  readonly store: LockStore;
  readonly clock: PinnedClock;
  /** Sets the counter behind the fencing tokens: the next grant gets a larger one than this. */
  setTokenCounter(value: number): Promise<void> | void;
  /** Writes an event of a key or a person, as access control does. */
  noteAccess(kind: AccessEventKind, actor: string): Promise<void> | void;
  close(): Promise<void>;
}

/** The store's own clock, standing still between the calls of a test. Milliseconds since 1970. */
export interface PinnedClock {
  now(): Promise<number> | number;
  set(ms: number): Promise<void> | void;
  advance(ms: number): Promise<void> | void;
}

/** One promise of a lock store, which any implementation can be held against; a broken promise rejects. */
export interface Guarantee {
  readonly name: string;
  /** True if it closes the store, so that it wants one of its own. */
  readonly wantsOwnStore: boolean;
  run(subject: StoreUnderTest): Promise<void>;
}

/** Where the clock stands when a guarantee begins. */
export const startMs = Date.UTC(2026, 4, 1, 9, 30);

export function guarantee(
  name: string,
  run: (at: Driver) => Promise<void>,
  options: { readonly wantsOwnStore: boolean } = { wantsOwnStore: false },
): Guarantee {
  return {
    name,
    ...options,
    async run(subject) {
      await subject.clock.set(startMs);
      await run(drive(subject));
    },
  };
}
