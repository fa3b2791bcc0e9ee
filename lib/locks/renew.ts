import type { Forced, Lease } from './lease';
import { assertTimeLeft, storeNowMs, type LockContext } from './lock-rules';
import type { RenewCall } from './lock-store';

export type RenewResult =
  | { readonly kind: 'renewed'; readonly lease: Lease; readonly nowMs: number }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'expired' }
  | { readonly kind: 'lost'; readonly forced: Forced | null };

/** Prolongs a lease that the caller still holds. Never takes a lock, and never makes a lease shorter. */
export async function renew(context: LockContext, call: RenewCall): Promise<RenewResult> {
  const dated = await context.store.renew(call);
  if (dated.outcome.kind !== 'renewed') return dated.outcome;
  const nowMs = storeNowMs(dated, context);
  assertTimeLeft(dated.outcome.lease.expiresAtMs, nowMs);
  return { kind: 'renewed', lease: dated.outcome.lease, nowMs };
}
