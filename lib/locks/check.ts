import { stateAt, type LeaseState } from './lease';
import { storeNowMs, type LockContext } from './lock-rules';

export interface CheckResult {
  readonly isValid: boolean;
  /** The current lease's token, expired or not; null if there is no row. */
  readonly fencingToken: number | null;
  readonly state: LeaseState | 'free';
}

/**
 * Whether a token is the current lease's, and that lease is active. Advisory: the lease may end right after, so the
 * protected resource must still remember the highest token that it has seen.
 */
export async function check(
  context: LockContext,
  call: { readonly resource: string; readonly fencingToken: number },
): Promise<CheckResult> {
  const dated = await context.store.inspect(call.resource);
  const lease = dated.outcome;
  if (lease === null) return { isValid: false, fencingToken: null, state: 'free' };
  const state = stateAt(lease, storeNowMs(dated, context));
  const isValid = state === 'active' && lease.fencingToken === call.fencingToken;
  return { isValid, fencingToken: lease.fencingToken, state };
}
