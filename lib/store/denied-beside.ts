import type { AcquireCall, AcquireOutcome, Dated } from '../locks/lock-store';

/**
 * What an acquire is told when another on the same resource was decided at the same instant: whoever held the lock then
 * held it against this caller too. So a crowd at one lock is denied by one transaction, and not by one each.
 *
 * @returns null for a caller with the holder's owner string, which may hold the lock itself and must ask the store.
 */
export function deniedBeside(
  call: AcquireCall,
  { outcome, nowMs, readAtMs }: Dated<AcquireOutcome>,
): Dated<AcquireOutcome> | null {
  const holder = outcome.kind === 'granted' ? outcome.lease : outcome.holder;
  if (holder.owner === call.owner && holder.hold === null) return null;
  return { outcome: { kind: 'held', holder }, nowMs, readAtMs };
}
