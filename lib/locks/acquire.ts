import type { Lease } from './lease';
import { assertTimeLeft, storeNowMs, type LockContext } from './lock-rules';
import type { AcquireCall } from './lock-store';

export type AcquireResult =
  | { readonly kind: 'granted'; readonly lease: Lease; readonly nowMs: number }
  | { readonly kind: 'held'; readonly holder: Lease; readonly retryAfterMs: number };

/**
 * Grants the lock if nobody holds it, or says who does and when to ask again. Never waits for the lock.
 *
 * @throws StoreUnavailable also when the lease ran out before it could be answered.
 */
export async function acquire(context: LockContext, call: AcquireCall): Promise<AcquireResult> {
  const dated = await context.store.acquire(call);
  const nowMs = storeNowMs(dated, context);
  switch (dated.outcome.kind) {
    case 'granted':
      assertTimeLeft(dated.outcome.lease.expiresAtMs, nowMs);
      return { kind: 'granted', lease: dated.outcome.lease, nowMs };
    case 'held': {
      const { holder } = dated.outcome;
      return { kind: 'held', holder, retryAfterMs: retryAfterMs(holder, nowMs, context) };
    }
  }
}

/** A hold ends when it ends; a lease may be released at any moment, so asking again soon is worth it. */
function retryAfterMs(holder: Lease, nowMs: number, { settings }: LockContext): number {
  const remainingMs = Math.max(1, holder.expiresAtMs - nowMs);
  return holder.hold === null ? Math.min(remainingMs, settings.retryAfterMsMax) : remainingMs;
}
