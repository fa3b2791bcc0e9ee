import { storeNowMs, type LockContext } from './lock-rules';
import type { ForceReleaseCall, ForceReleaseOutcome } from './lock-store';

/**
 * An operator ends the leases that were seen, by their tokens, and no others; each is judged alone.
 * The evicted processes are not stopped: two may work at once unless the resource is held for what was left.
 *
 * @returns the outcomes in the order of the calls.
 */
export async function forceRelease(
  context: LockContext,
  calls: readonly ForceReleaseCall[],
): Promise<{ readonly outcomes: readonly ForceReleaseOutcome[]; readonly nowMs: number }> {
  const dated = await context.store.forceRelease(calls);
  return { outcomes: dated.outcome, nowMs: storeNowMs(dated, context) };
}
