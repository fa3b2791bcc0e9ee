import { stateAt } from './lease';
import { storeNowMs, type LockContext } from './lock-rules';
import type { SeenLease } from './lock-store';

export interface InspectCall {
  readonly resource: string;
  /** Whether an expired row, which nobody holds, is to be shown as well. */
  readonly includesExpired: boolean;
}

/** The lock as it is now; null if nobody holds it. */
export async function inspect(
  context: LockContext,
  call: InspectCall,
): Promise<{ readonly lease: SeenLease | null; readonly nowMs: number }> {
  const dated = await context.store.inspect(call.resource);
  const nowMs = storeNowMs(dated, context);
  const lease = dated.outcome;
  const isShown = lease !== null && (call.includesExpired || stateAt(lease, nowMs) === 'active');
  return { lease: isShown ? lease : null, nowMs };
}
