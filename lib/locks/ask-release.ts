import type { Lease } from './lease';
import { storeNowMs, type LockContext } from './lock-rules';
import type { AskReleaseCall } from './lock-store';

export type AskReleaseResult =
  | { readonly kind: 'not-found' }
  | { readonly kind: 'asked' | 'lock-changed'; readonly lease: Lease; readonly nowMs: number };

/** An operator asks the holder to let go: every renew and inspect of this lease carries the request until it ends. */
export async function askRelease(
  context: LockContext,
  call: AskReleaseCall,
): Promise<AskReleaseResult> {
  const dated = await context.store.askRelease(call);
  if (dated.outcome.kind === 'not-found') return dated.outcome;
  return { ...dated.outcome, nowMs: storeNowMs(dated, context) };
}
