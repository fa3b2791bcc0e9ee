import type { EventOnWire, LockOnWire } from '../contract/answers';

/** What became of a lease while somebody was looking at it. */
export type LeaseChange =
  | { readonly kind: 'same' }
  /** Held when it was seen, expired now; nobody has claimed it. */
  | { readonly kind: 'ran-out' }
  /** Another lease now: of another owner, or of the same one that acquired anew. */
  | {
      readonly kind: 'taken';
      readonly by: LockOnWire;
      readonly ended: LeaseEnd;
      readonly atMs: number;
    }
  /** No row now. */
  | { readonly kind: 'gone'; readonly ended: LeaseEnd; readonly atMs: number | null }
  /** A person ended it. */
  | { readonly kind: 'ended-by-person'; readonly event: EventOnWire };

/** How the lease that was seen came to its end, as far as the history tells. */
export type LeaseEnd = 'released' | 'ran-out' | 'reacquired' | 'unknown';

/**
 * Compares the lease that was on screen with the lock as it is now.
 *
 * @param events the newest of the resource's history, newest first; may be empty when it could not be read.
 */
export function leaseChange(
  seen: LockOnWire,
  current: LockOnWire | null,
  events: readonly EventOnWire[],
): LeaseChange {
  if (current !== null && current.fencing_token === seen.fencing_token) {
    return seen.state === 'active' && current.state === 'expired'
      ? { kind: 'ran-out' }
      : { kind: 'same' };
  }
  const byPerson = events.find((event) => isEndByPerson(event, seen));
  if (byPerson !== undefined) return { kind: 'ended-by-person', event: byPerson };
  const ended = leaseEnd(seen, current, events);
  if (current !== null) {
    return { kind: 'taken', by: current, ended, atMs: Date.parse(current.acquired_at) };
  }
  return { kind: 'gone', ended, atMs: endedAtMs(seen, events) };
}

function isEndByPerson(event: EventOnWire, seen: LockOnWire): boolean {
  if (event.fencing_token !== seen.fencing_token) return false;
  if (event.kind === 'reopened') return event.actor !== null;
  return event.kind === 'force_released' || event.kind === 'cleared';
}

function leaseEnd(
  seen: LockOnWire,
  current: LockOnWire | null,
  events: readonly EventOnWire[],
): LeaseEnd {
  const own = events.filter((event) => event.fencing_token === seen.fencing_token);
  if (own.some((event) => event.kind === 'released')) return 'released';
  if (own.some((event) => event.kind === 'expired')) return 'ran-out';
  if (current === null) return 'unknown';
  const grant = events.find((event) => event.fencing_token === current.fencing_token);
  if (grant?.kind === 'claimed') return 'ran-out';
  if (grant?.kind === 'reacquired') return 'reacquired';
  return 'unknown';
}

function endedAtMs(seen: LockOnWire, events: readonly EventOnWire[]): number | null {
  const end = events.find(
    (event) => event.fencing_token === seen.fencing_token && event.kind === 'released',
  );
  return end === undefined ? null : Date.parse(end.at);
}
