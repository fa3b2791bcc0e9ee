/** One ownership of one resource, as a store holds it. Times are milliseconds since 1970, UTC, by the store's clock. */
export interface Lease {
  /** The lock row's id: stays when an expired lock is claimed, ends with a release. */
  readonly id: string;
  readonly resource: string;
  readonly owner: string;
  /** The service account that holds it; null before access control, and for an operator's hold. */
  readonly client: string | null;
  readonly acquiredAtMs: number;
  readonly expiresAtMs: number;
  readonly renewedAtMs: number | null;
  readonly renewCount: number;
  /** The TTL that was asked for last, in milliseconds. */
  readonly ttlMs: number;
  readonly fencingToken: number;
  /** Set when an operator holds the resource out of service. */
  readonly hold: Hold | null;
  readonly releaseRequested: ReleaseRequest | null;
  readonly metadata: Metadata | null;
}

export type Metadata = Readonly<Record<string, string>>;

export interface Hold {
  readonly name: string;
  readonly reason: string;
}

export interface ReleaseRequest {
  readonly by: string;
  readonly reason: string;
  readonly atMs: number;
}

/** A lease that a person ended: what its owner is told at its next renew. */
export interface Forced {
  readonly by: string;
  readonly reason: string | null;
  readonly atMs: number;
}

/** The shortest renew gap that silence is measured by. */
export const silentGapMsMin = 1_000;

export const leaseStates = ['active', 'expired'] as const;
export type LeaseState = (typeof leaseStates)[number];

export const leaseConditions = ['expiring', 'silent', 'closed'] as const;
export type LeaseCondition = (typeof leaseConditions)[number];

/** At exactly `expiresAtMs` the lease is over. */
export function stateAt(lease: Pick<Lease, 'expiresAtMs'>, nowMs: number): LeaseState {
  return nowMs < lease.expiresAtMs ? 'active' : 'expired';
}

/** The usual gap between two renewals of this lease, in milliseconds; null before the first one. */
export function renewEveryMs(
  lease: Pick<Lease, 'acquiredAtMs' | 'renewedAtMs' | 'renewCount'>,
): number | null {
  if (lease.renewedAtMs === null || lease.renewCount === 0) return null;
  return Math.max(1, Math.round((lease.renewedAtMs - lease.acquiredAtMs) / lease.renewCount));
}

/**
 * What an operator should notice about a lease; null for one that is over or in good order.
 * A hold is `closed` whatever else is true; silence outranks a near end, since it says why the end is near.
 */
export function conditionAt(lease: Lease, nowMs: number): LeaseCondition | null {
  if (stateAt(lease, nowMs) === 'expired') return null;
  if (lease.hold !== null) return 'closed';
  if (isSilentAt(lease, nowMs)) return 'silent';
  if ((lease.expiresAtMs - nowMs) * 5 < lease.ttlMs) return 'expiring';
  return null;
}

/**
 * Twice the usual renew gap without a renewal, in whole numbers so that every store decides alike.
 * A gap under a second counts as one: a renewal sent right after the grant says nothing about the next.
 */
function isSilentAt(lease: Lease, nowMs: number): boolean {
  if (lease.renewedAtMs === null || lease.renewCount === 0) return false;
  const gapsMs = Math.max(
    lease.renewedAtMs - lease.acquiredAtMs,
    silentGapMsMin * lease.renewCount,
  );
  return (nowMs - lease.renewedAtMs) * lease.renewCount > 2 * gapsMs;
}
