import { randomUUID } from 'node:crypto';

import { StoreUnavailable } from '../../locks/errors';
import type { Lease } from '../../locks/lease';
import type {
  AcquireCall,
  AcquireOutcome,
  AskReleaseCall,
  AskReleaseOutcome,
  Dated,
  ForceReleaseCall,
  ForceReleaseOutcome,
  HoldCall,
  HoldOutcome,
  ReleaseCall,
  ReleaseOutcome,
  RenewCall,
  RenewOutcome,
} from '../../locks/lock-store';
import type { SqliteConnection } from './connection';
import type { Rows, SqlValue } from './lock-file';
import * as rows from './rows';
import * as lease from './statements/lease';
import * as operator from './statements/operator';
import { createParts, type VerbStatements } from './statements/parts';

/** Each verb of the store as one transaction: riders in, statements run, reports parsed, outcomes out. */
export interface SqliteVerbs {
  readonly acquire: (calls: readonly AcquireCall[]) => Promise<Dated<AcquireOutcome>[]>;
  readonly renew: (calls: readonly RenewCall[]) => Promise<Dated<RenewOutcome>[]>;
  readonly release: (calls: readonly ReleaseCall[]) => Promise<Dated<ReleaseOutcome>[]>;
  readonly forceRelease: (
    calls: readonly ForceReleaseCall[],
  ) => Promise<Dated<readonly ForceReleaseOutcome[]>>;
  readonly hold: (call: HoldCall) => Promise<Dated<HoldOutcome>>;
  readonly askRelease: (call: AskReleaseCall) => Promise<Dated<AskReleaseOutcome>>;
}

/**
 * @param clock an SQL expression for now in milliseconds.
 * @param monotonicMs this process's monotonic clock.
 */
export function createVerbs(
  connection: SqliteConnection,
  clock: string,
  monotonicMs: () => number,
): SqliteVerbs {
  const run = createRunner(connection, monotonicMs);
  const parts = createParts(clock);
  return {
    acquire: acquireVerb(run, lease.acquireStatements(parts)),
    renew: renewVerb(run, lease.renewStatements(parts)),
    release: releaseVerb(run, lease.releaseStatements(parts)),
    forceRelease: forceReleaseVerb(run, operator.forceReleaseStatements(parts)),
    hold: holdVerb(run, operator.holdStatements(parts)),
    askRelease: askReleaseVerb(run, operator.askReleaseStatements(parts)),
  };
}

function acquireVerb(run: RunGroup, statements: lease.AcquireStatements): SqliteVerbs['acquire'] {
  return async (calls) => {
    const riders = calls.map((call) => ({
      ...call,
      metadata: call.metadata === null ? null : JSON.stringify(call.metadata),
    }));
    const { results, readAtMs } = await run(statements, riders);
    const { nowMs, entries } = rows.parseAcquireReport(results.at(-1));
    return inOrder(calls, entries, (call, entry) => ({
      ...acquireOutcome(call, entry, nowMs),
      readAtMs,
    }));
  };
}

function renewVerb(run: RunGroup, statements: lease.RenewStatements): SqliteVerbs['renew'] {
  return async (calls) => {
    const { results, readAtMs } = await run(statements, calls);
    const { nowMs, entries } = rows.parseRenewReport(results.at(-1));
    return inOrder(calls, entries, (_, entry) => ({ ...renewOutcome(entry, nowMs), readAtMs }));
  };
}

function releaseVerb(run: RunGroup, statements: lease.ReleaseStatements): SqliteVerbs['release'] {
  return async (calls) => {
    const { results, readAtMs } = await run(statements, calls);
    const { nowMs, entries } = rows.parseReleaseReport(results[lease.releaseReport]);
    return inOrder(calls, entries, (_, { kind }) => ({ outcome: { kind }, nowMs, readAtMs }));
  };
}

function forceReleaseVerb(
  run: RunGroup,
  statements: operator.ForceReleaseStatements,
): SqliteVerbs['forceRelease'] {
  return async (calls) => {
    const { results, readAtMs } = await run(statements, calls);
    const { nowMs, entries } = rows.parseForceReleaseReport(results[operator.forceReleaseReport]);
    const holdOf = rows.parseRiderRows(results.at(-1));
    const outcome = inOrder(calls, entries, (_, entry): ForceReleaseOutcome => {
      if (entry.kind === 'not-found') return { kind: entry.kind };
      if (entry.kind !== 'released') return { kind: entry.kind, lease: entry.lease };
      return { kind: 'released', released: entry.lease, hold: holdOf.get(entry.rider) ?? null };
    });
    return { outcome, nowMs, readAtMs };
  };
}

function holdVerb(run: RunGroup, statements: operator.HoldStatements): SqliteVerbs['hold'] {
  return async (call) => {
    const { results, readAtMs } = await run(statements, [call]);
    const { nowMs, entries } = rows.parseChangeReport(results.at(-1));
    const [outcome] = inOrder([call], entries, (_, entry): HoldOutcome => ({
      kind: entry.isChanged ? 'held' : 'lock-changed',
      lease: entry.lease,
    }));
    if (outcome === undefined) throw noOutcome();
    return { outcome, nowMs, readAtMs };
  };
}

function askReleaseVerb(
  run: RunGroup,
  statements: operator.AskReleaseStatements,
): SqliteVerbs['askRelease'] {
  return async (call) => {
    const { results, readAtMs } = await run(statements, [call]);
    const { nowMs, entries } = rows.parseChangeReport(results.at(-1));
    const [entry] = entries;
    if (entry === undefined) return { outcome: { kind: 'not-found' }, nowMs, readAtMs };
    const kind = entry.isChanged ? 'asked' : 'lock-changed';
    return { outcome: { kind, lease: entry.lease }, nowMs, readAtMs };
  };
}

type RunGroup = <Field extends string>(
  verb: VerbStatements<Field>,
  riders: readonly Readonly<Record<Field, SqlValue | boolean>>[],
) => Promise<{ readonly results: readonly Rows[]; readonly readAtMs: number }>;

function createRunner(connection: SqliteConnection, monotonicMs: () => number): RunGroup {
  const processId = randomUUID();
  let transactions = 0;
  return async ({ fields, statements }, riders) => {
    transactions += 1;
    const changeId = `${processId}-${String(transactions)}`;
    const list = JSON.stringify(riders.map((rider) => fields.map((field) => rider[field])));
    const readAtMs = monotonicMs();
    const results = await connection.transaction(statements({ riders: list, changeId }));
    return { results, readAtMs };
  };
}

function acquireOutcome(
  call: AcquireCall,
  entry: rows.AcquireEntry,
  nowMs: number,
): { outcome: AcquireOutcome; nowMs: number } {
  if (entry.granted === null) return { outcome: { kind: 'held', holder: entry.holder }, nowMs };
  const granted = grantedLease(call, entry.granted);
  return { outcome: { kind: 'granted', lease: granted }, nowMs: granted.acquiredAtMs };
}

/** The lease of a grant, from the call and what the store added to it: cheaper than sending the row back. */
function grantedLease(
  call: AcquireCall,
  granted: { id: string; acquiredAtMs: number; fencingToken: number },
): Lease {
  return {
    id: granted.id,
    resource: call.resource,
    owner: call.owner,
    client: call.client,
    acquiredAtMs: granted.acquiredAtMs,
    expiresAtMs: granted.acquiredAtMs + call.ttlMs,
    renewedAtMs: null,
    renewCount: 0,
    ttlMs: call.ttlMs,
    fencingToken: granted.fencingToken,
    hold: null,
    releaseRequested: null,
    metadata: call.metadata,
  };
}

function renewOutcome(
  entry: rows.RenewEntry,
  nowMs: number,
): { outcome: RenewOutcome; nowMs: number } {
  switch (entry.kind) {
    case 'renewed':
      return {
        outcome: { kind: 'renewed', lease: entry.lease },
        nowMs: entry.lease.renewedAtMs ?? nowMs,
      };
    case 'expired':
      return { outcome: { kind: 'expired' }, nowMs };
    case 'lost':
      return { outcome: { kind: 'lost', forced: entry.forced }, nowMs };
    case 'not-found':
      // A person ended the lease and the row is gone: lost, and the owner is told by whom.
      if (entry.forced !== null) return { outcome: { kind: 'lost', forced: entry.forced }, nowMs };
      return { outcome: { kind: 'not-found' }, nowMs };
  }
}

/** Puts a report's entries, which come in the order that the database found them, back in the order of the calls. */
function inOrder<Call, Entry extends { readonly rider: number }, Outcome>(
  calls: readonly Call[],
  entries: readonly Entry[],
  outcomeOf: (call: Call, entry: Entry) => Outcome,
): Outcome[] {
  const byRider = new Map(entries.map((entry) => [entry.rider, entry]));
  return calls.map((call, index) => {
    const entry = byRider.get(index);
    if (entry === undefined) throw noOutcome();
    return outcomeOf(call, entry);
  });
}

function noOutcome(): StoreUnavailable {
  return new StoreUnavailable('The store gave no outcome');
}
