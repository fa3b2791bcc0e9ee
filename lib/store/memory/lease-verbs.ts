import type { LockEvent } from '../../locks/events';
import { stateAt, type Forced, type Lease } from '../../locks/lease';
import { limits } from '../../locks/limits';
import type {
  AcquireCall,
  AcquireOutcome,
  ReleaseCall,
  ReleaseOutcome,
  RenewCall,
  RenewOutcome,
} from '../../locks/lock-store';
import { renewalsToldEveryMs, type RenewalNote } from '../../locks/renewals';
import {
  factsOf,
  heldMsAt,
  nextFencingToken,
  nextRowId,
  writeEvent,
  type MemoryTables,
} from './tables';

/** Grants a free or expired lock, and one's own anew; of a lock that somebody holds, nothing is written. */
export function acquire(tables: MemoryTables, call: AcquireCall, nowMs: number): AcquireOutcome {
  const previous = tables.leases.get(call.resource);
  const isLive = previous !== undefined && stateAt(previous, nowMs) === 'active';
  if (isLive && !isOwn(previous, { ...call, fencingToken: null })) {
    return { kind: 'held', holder: previous };
  }
  const fencingToken = nextFencingToken(tables);
  const lease: Lease = {
    id: previous?.id ?? nextRowId(tables),
    resource: call.resource,
    owner: call.owner,
    client: call.client,
    acquiredAtMs: nowMs,
    expiresAtMs: nowMs + call.ttlMs,
    renewedAtMs: null,
    renewCount: 0,
    ttlMs: call.ttlMs,
    fencingToken,
    hold: null,
    releaseRequested: null,
    metadata: call.metadata === null ? null : { ...call.metadata },
  };
  tables.leases.set(call.resource, lease);
  writeEvent(tables, {
    ...factsOf(lease),
    atMs: nowMs,
    kind: previous === undefined ? 'acquired' : isLive ? 'reacquired' : 'claimed',
    previousOwner: previous?.owner ?? null,
    heldMs: previous === undefined ? null : heldMsAt(previous, nowMs),
    requestId: call.requestId,
  });
  return { kind: 'granted', lease };
}

/** Prolongs what the caller still holds. Never inserts a row, and never makes a lease shorter. */
export function renew(tables: MemoryTables, call: RenewCall, nowMs: number): RenewOutcome {
  const lease = tables.leases.get(call.resource);
  if (lease === undefined || !isOwn(lease, call)) {
    const forced = noticeForced(tables, call, nowMs);
    if (forced === null && lease === undefined) return { kind: 'not-found' };
    return { kind: 'lost', forced };
  }
  if (stateAt(lease, nowMs) === 'expired') return { kind: 'expired' };
  const renewed: Lease = {
    ...lease,
    expiresAtMs: Math.max(lease.expiresAtMs, nowMs + call.ttlMs),
    renewedAtMs: nowMs,
    renewCount: lease.renewCount + 1,
    ttlMs: call.ttlMs,
  };
  tables.leases.set(call.resource, renewed);
  const due = renewalsDue(tables, renewed, nowMs);
  return due === null
    ? { kind: 'renewed', lease: renewed }
    : { kind: 'renewed', lease: renewed, due };
}

/** How many renewals the history is to be told of; null when it is not time yet. */
function renewalsDue(tables: MemoryTables, lease: Lease, nowMs: number): number | null {
  const told = tables.renewalsTold.get(lease.fencingToken);
  if (nowMs - (told?.atMs ?? lease.acquiredAtMs) < renewalsToldEveryMs) return null;
  tables.renewalsTold.set(lease.fencingToken, { atMs: nowMs, count: lease.renewCount });
  return lease.renewCount - (told?.count ?? 0);
}

/** Tells the history of renewals that were found due. */
export function noteRenewals(tables: MemoryTables, notes: readonly RenewalNote[]): void {
  for (const { lease, count } of notes) {
    const atMs = lease.renewedAtMs ?? lease.acquiredAtMs;
    const heldMs = atMs - lease.acquiredAtMs;
    writeEvent(tables, {
      ...factsOf(lease),
      atMs,
      kind: 'renewed',
      count,
      heldMs,
      requestId: null,
    });
  }
}

/** Ends what the caller still holds. Late, twice or by another: nothing is written. */
export function release(tables: MemoryTables, call: ReleaseCall, nowMs: number): ReleaseOutcome {
  const lease = tables.leases.get(call.resource);
  if (lease === undefined) return { kind: 'not-found' };
  if (!isOwn(lease, call)) return { kind: 'not-owner' };
  if (stateAt(lease, nowMs) === 'expired') return { kind: 'expired' };
  tables.leases.delete(call.resource);
  writeEvent(tables, {
    ...factsOf(lease),
    atMs: nowMs,
    kind: 'released',
    heldMs: heldMsAt(lease, nowMs),
    requestId: call.requestId,
  });
  return { kind: 'released' };
}

/** Who says that a lease is theirs. */
type Claim = Pick<RenewCall, 'owner' | 'client' | 'fencingToken'>;

/** Nobody owns a hold. */
function isOwn(lease: Lease, claim: Claim): boolean {
  return lease.hold === null && isAbout(lease, claim);
}

/** The client is part of ownership; without one, from before there was access control, the owner alone decides. */
function isAbout(subject: Lease | LockEvent, { owner, client, fencingToken }: Claim): boolean {
  return (
    subject.owner === owner &&
    (subject.client === null || subject.client === client) &&
    (fencingToken === null || subject.fencingToken === fencingToken)
  );
}

/** Whether a person ended the caller's lease in the last day. That its owner learned of it is noted the first time. */
function noticeForced(tables: MemoryTables, call: RenewCall, nowMs: number): Forced | null {
  const forced = findForced(tables, call, nowMs);
  if (forced === null) return null;
  const isNoticed = tables.events.some(
    (event) => event.kind === 'noticed' && event.fencingToken === forced.fencingToken,
  );
  if (!isNoticed) {
    writeEvent(tables, {
      resource: forced.resource,
      owner: forced.owner,
      client: forced.client,
      fencingToken: forced.fencingToken,
      atMs: nowMs,
      kind: 'noticed',
      requestId: call.requestId,
    });
  }
  return { by: forced.actor ?? '', reason: forced.reason, atMs: forced.atMs };
}

/** Without a token the caller means its newest lease: a grant after the forced end says that it knows of that end. */
function findForced(tables: MemoryTables, call: RenewCall, nowMs: number): LockEvent | null {
  const newest = tables.events.findLast(
    (event) =>
      event.resource === call.resource &&
      isAbout(event, call) &&
      (event.kind === 'force_released' || (call.fencingToken === null && isGrant(event))),
  );
  if (newest?.kind !== 'force_released') return null;
  return nowMs < newest.atMs + limits.forcedMemoryMs ? newest : null;
}

function isGrant({ kind }: LockEvent): boolean {
  return kind === 'acquired' || kind === 'reacquired' || kind === 'claimed';
}
