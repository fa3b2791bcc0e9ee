import { StoreUnavailable } from './errors';
import type { LockSettings } from './limits';
import type { Dated, LockStore } from './lock-store';

/** What every verb is given. */
export interface LockContext {
  readonly store: LockStore;
  readonly settings: LockSettings;
  /** This process's monotonic clock, in milliseconds: how much time has passed since the store was read. */
  readonly monotonicMs: () => number;
}

/** The store's clock as it must be by now, if it ran at our pace since the outcome was read. Never earlier than it is. */
export function storeNowMs(dated: Dated<unknown>, context: LockContext): number {
  return dated.nowMs + Math.max(0, Math.ceil(context.monotonicMs() - dated.readAtMs));
}

/**
 * A grant that took so long to become durable that nothing is left of it is no grant: the caller would believe to hold a
 * lock that anybody may claim.
 *
 * @throws StoreUnavailable
 */
export function assertTimeLeft(expiresAtMs: number, nowMs: number): void {
  if (expiresAtMs <= nowMs) {
    throw new StoreUnavailable('The store took longer to answer than the lease lasts');
  }
}
