import type { Lease } from './lease';
import { assertTimeLeft, storeNowMs, type LockContext } from './lock-rules';
import type { HoldCall } from './lock-store';

export interface HoldResult {
  readonly kind: 'held' | 'lock-changed';
  readonly lease: Lease;
  readonly nowMs: number;
}

/** An operator takes a resource out of service: a free one, or the one whose live lease is named and thereby evicted. */
export async function hold(context: LockContext, call: HoldCall): Promise<HoldResult> {
  const dated = await context.store.hold(call);
  const nowMs = storeNowMs(dated, context);
  if (dated.outcome.kind === 'held') assertTimeLeft(dated.outcome.lease.expiresAtMs, nowMs);
  return { ...dated.outcome, nowMs };
}
