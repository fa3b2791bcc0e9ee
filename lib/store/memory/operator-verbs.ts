import { stateAt, type Lease } from '../../locks/lease';
import type {
  AskReleaseCall,
  AskReleaseOutcome,
  ForceReleaseCall,
  ForceReleaseOutcome,
  HoldCall,
  HoldOutcome,
  OperatorContext,
} from '../../locks/lock-store';
import {
  assertTokensLeft,
  factsOf,
  heldMsAt,
  nextFencingToken,
  nextRowId,
  writeEvent,
  type MemoryTables,
} from './tables';

/** Ends the leases that were seen, and no others. */
export function forceRelease(
  tables: MemoryTables,
  calls: readonly ForceReleaseCall[],
  nowMs: number,
): readonly ForceReleaseOutcome[] {
  assertTokensLeft(tables, calls.filter((call) => call.holdMs > 0).length);
  return calls.map((call) => forceReleaseOne(tables, call, nowMs));
}

function forceReleaseOne(
  tables: MemoryTables,
  call: ForceReleaseCall,
  nowMs: number,
): ForceReleaseOutcome {
  const lease = tables.leases.get(call.resource);
  if (lease === undefined) return { kind: 'not-found' };
  if (lease.fencingToken !== call.fencingToken) return { kind: 'lock-changed', lease };
  const isLive = stateAt(lease, nowMs) === 'active';
  if (isLive && call.onlyExpired) return { kind: 'still-active', lease };
  const { reason } = call;
  if (reason === null && (isLive || call.holdMs > 0)) return { kind: 'reason-required', lease };

  writeEnd(tables, lease, { ...call, nowMs });
  if (call.holdMs === 0 || reason === null) {
    tables.leases.delete(call.resource);
    return { kind: 'released', released: lease, hold: null };
  }
  const hold = putHold(tables, { ...call, reason, ttlMs: call.holdMs, nowMs });
  return { kind: 'released', released: lease, hold };
}

/** Holds a free resource, prolongs one's own hold, or evicts the live lease that is named and holds in its place. */
export function hold(tables: MemoryTables, call: HoldCall, nowMs: number): HoldOutcome {
  const lease = tables.leases.get(call.resource);
  if (lease === undefined || stateAt(lease, nowMs) === 'expired') {
    return { kind: 'held', lease: putHold(tables, { ...call, nowMs }) };
  }
  if (lease.fencingToken !== call.fencingToken) return { kind: 'lock-changed', lease };
  if (lease.hold?.name === call.actor) {
    return { kind: 'held', lease: prolong(tables, lease, call, nowMs) };
  }
  assertTokensLeft(tables, 1);
  writeEnd(tables, lease, { ...call, nowMs });
  return { kind: 'held', lease: putHold(tables, { ...call, nowMs }) };
}

/** Asks the holder of the live lease that was seen to let go; a second ask replaces the first. A hold has nobody to ask. */
export function askRelease(
  tables: MemoryTables,
  call: AskReleaseCall,
  nowMs: number,
): AskReleaseOutcome {
  const lease = tables.leases.get(call.resource);
  if (lease === undefined) return { kind: 'not-found' };
  const isSeen = lease.fencingToken === call.fencingToken && lease.hold === null;
  if (!isSeen || stateAt(lease, nowMs) === 'expired') return { kind: 'lock-changed', lease };
  const asked: Lease = {
    ...lease,
    releaseRequested: { by: call.actor, reason: call.reason, atMs: nowMs },
  };
  tables.leases.set(call.resource, asked);
  writeEvent(tables, {
    ...factsOf(asked),
    atMs: nowMs,
    kind: 'release_requested',
    actor: call.actor,
    reason: call.reason,
    requestId: call.requestId,
  });
  return { kind: 'asked', lease: asked };
}

type Ending = OperatorContext & { readonly reason: string | null; readonly nowMs: number };

/** The event of a lease that an operator ends: cleared when it was over, reopened when it was a hold, else forced. */
function writeEnd(tables: MemoryTables, lease: Lease, ending: Ending): void {
  const isLive = stateAt(lease, ending.nowMs) === 'active';
  const isForced = isLive && lease.hold === null;
  writeEvent(tables, {
    ...factsOf(lease),
    atMs: ending.nowMs,
    kind: isForced ? 'force_released' : isLive ? 'reopened' : 'cleared',
    previousOwner: isForced ? lease.owner : null,
    actor: ending.actor,
    reason: ending.reason,
    heldMs: heldMsAt(lease, ending.nowMs),
    requestId: ending.requestId,
  });
}

type NewHold = Omit<HoldCall, 'fencingToken'> & { readonly nowMs: number };

/** Puts a hold where the resource's row is, or in a new one. */
function putHold(tables: MemoryTables, call: NewHold): Lease {
  const fencingToken = nextFencingToken(tables);
  const previous = tables.leases.get(call.resource);
  const lease: Lease = {
    id: previous?.id ?? nextRowId(tables),
    resource: call.resource,
    owner: `operator:${call.actor}`,
    client: null,
    acquiredAtMs: call.nowMs,
    expiresAtMs: call.nowMs + call.ttlMs,
    renewedAtMs: null,
    renewCount: 0,
    ttlMs: call.ttlMs,
    fencingToken,
    hold: { name: call.actor, reason: call.reason },
    releaseRequested: null,
    metadata: null,
  };
  tables.leases.set(call.resource, lease);
  writeHeld(tables, lease, call, previous?.owner ?? null);
  return lease;
}

function prolong(tables: MemoryTables, lease: Lease, call: HoldCall, nowMs: number): Lease {
  const prolonged: Lease = {
    ...lease,
    expiresAtMs: Math.max(lease.expiresAtMs, nowMs + call.ttlMs),
    ttlMs: call.ttlMs,
    hold: { name: call.actor, reason: call.reason },
  };
  tables.leases.set(call.resource, prolonged);
  writeHeld(tables, prolonged, { ...call, nowMs }, null);
  return prolonged;
}

function writeHeld(
  tables: MemoryTables,
  lease: Lease,
  call: NewHold,
  previousOwner: string | null,
): void {
  writeEvent(tables, {
    ...factsOf(lease),
    atMs: call.nowMs,
    kind: 'held',
    previousOwner,
    actor: call.actor,
    reason: call.reason,
    requestId: call.requestId,
  });
}
