import type { LockContext } from './lock-rules';
import type { ReleaseCall, ReleaseOutcome } from './lock-store';

/** Ends a lease that the caller still holds; of a lease that is over or somebody else's, nothing is changed. */
export async function release(context: LockContext, call: ReleaseCall): Promise<ReleaseOutcome> {
  return (await context.store.release(call)).outcome;
}
