import type { Asker, Denials } from '../../locks/contention';
import { StoreUnavailable } from '../../locks/errors';
import type { LockEvent } from '../../locks/events';
import type { Lease } from '../../locks/lease';
import { limits } from '../../locks/limits';

/** All that the memory store knows. */
export interface MemoryTables {
  /** At most one lease for each resource. */
  readonly leases: Map<string, Lease>;
  /** Oldest first. */
  readonly events: LockEvent[];
  /** By fencing token: when the history was told of renewals, and of how many so far. */
  readonly renewalsTold: Map<number, { readonly atMs: number; readonly count: number }>;
  /** Who was denied each resource, and what of it the history has not been told yet. */
  readonly contended: Map<string, ContendedLock>;
  /** The last event id that was given; never given twice. */
  eventId: number;
  /** The token whose end is on record, by resource. */
  readonly notedTokens: Map<string, number>;
  /** Which process does a piece of work beside the calls. */
  readonly turns: Map<string, MemoryTurn>;
  /** The last row id that was given; never given twice. */
  rowId: number;
  /** The last fencing token that was given. Nothing ever makes it smaller. */
  fencingToken: number;
}

export interface ContendedLock {
  askers: readonly Asker[];
  /** The lease that was in the way last. */
  holder: Denials['holder'];
  untold: number;
  toldAtMs: number | null;
}

interface MemoryTurn {
  readonly holder: string;
  readonly takenAtMs: number;
  readonly lapsesAtMs: number;
}

export function createMemoryTables(): MemoryTables {
  return {
    leases: new Map(),
    events: [],
    contended: new Map(),
    renewalsTold: new Map(),
    eventId: 0,
    notedTokens: new Map(),
    turns: new Map(),
    rowId: 0,
    fencingToken: 0,
  };
}

export function nextRowId(tables: MemoryTables): string {
  tables.rowId += 1;
  return String(tables.rowId);
}

/** @throws StoreUnavailable when the counter has reached its end: a token is never given twice. */
export function nextFencingToken(tables: MemoryTables): number {
  assertTokensLeft(tables, 1);
  tables.fencingToken += 1;
  return tables.fencingToken;
}

/** @throws StoreUnavailable before anything is written, so that a call that needs several tokens is whole or not at all. */
export function assertTokensLeft(tables: MemoryTables, count: number): void {
  if (tables.fencingToken + count > limits.fencingTokenMax) {
    throw new StoreUnavailable('The fencing tokens are used up');
  }
}

/** What an event must say; the rest is null unless given. */
type EventFacts = Pick<LockEvent, 'atMs' | 'kind' | 'resource' | 'requestId'> & Partial<LockEvent>;

export function writeEvent(tables: MemoryTables, facts: EventFacts): void {
  tables.eventId += 1;
  tables.events.push({
    owner: null,
    fencingToken: null,
    expiresAtMs: null,
    previousOwner: null,
    client: null,
    actor: null,
    reason: null,
    count: null,
    heldMs: null,
    subject: null,
    ...facts,
    id: String(tables.eventId),
  });
}

/** The part of an event that tells which lease it is about. */
export function factsOf(lease: Lease) {
  return {
    resource: lease.resource,
    owner: lease.owner,
    client: lease.client,
    fencingToken: lease.fencingToken,
    expiresAtMs: lease.expiresAtMs,
  };
}

/** How long a lease had been held when it ended: at its expiry, or now if that comes first. */
export function heldMsAt(lease: Lease, nowMs: number): number {
  return Math.max(0, Math.min(nowMs, lease.expiresAtMs) - lease.acquiredAtMs);
}
