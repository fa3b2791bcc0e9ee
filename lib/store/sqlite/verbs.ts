import { randomUUID } from 'node:crypto';

import { StoreUnavailable } from '../../locks/errors';
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
import type { Lease } from '../../locks/lease';
import type { Rows, SqliteConnection } from './connection';
import * as rows from './rows';
import type { GroupStatements, SqliteStatements } from './statements';

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
  readonly inspect: (resource: string) => Promise<Dated<Lease | null>>;
}

export function createVerbs(
  connection: SqliteConnection,
  statements: SqliteStatements,
  monotonicMs: () => number,
): SqliteVerbs {
  const processId = randomUUID();
  let transactions = 0;

  async function run<Call>(
    build: GroupStatements,
    calls: readonly Call[],
    riderOf: (call: Call) => readonly unknown[],
  ): Promise<{ results: readonly Rows[]; readAtMs: number }> {
    transactions += 1;
    const changeId = `${processId}-${String(transactions)}`;
    const riders = JSON.stringify(calls.map(riderOf));
    const readAtMs = monotonicMs();
    return { results: await connection.transaction(build({ riders, changeId })), readAtMs };
  }

  return {
    async acquire(calls) {
      const { results, readAtMs } = await run(statements.acquire, calls, (call) => [
        call.resource,
        call.owner,
        call.client,
        call.ttlMs,
        call.metadata === null ? null : JSON.stringify(call.metadata),
        call.requestId,
      ]);
      const report = rows.parseAcquireReport(results.at(-1));
      return inOrder(calls, report.entries, (call, entry): Dated<AcquireOutcome> => {
        if (entry.granted === null) {
          return { outcome: { kind: 'held', holder: entry.holder }, nowMs: report.nowMs, readAtMs };
        }
        const lease = grantedLease(call, entry.granted);
        return { outcome: { kind: 'granted', lease }, nowMs: lease.acquiredAtMs, readAtMs };
      });
    },

    async renew(calls) {
      const { results, readAtMs } = await run(statements.renew, calls, (call) => [
        call.resource,
        call.owner,
        call.client,
        call.ttlMs,
        call.fencingToken,
        call.requestId,
      ]);
      const { nowMs, entries } = rows.parseRenewReport(results.at(-1));
      return inOrder(calls, entries, (_, entry) => ({ ...renewOutcome(entry, nowMs), readAtMs }));
    },

    async release(calls) {
      const { results, readAtMs } = await run(statements.release, calls, (call) => [
        call.resource,
        call.owner,
        call.client,
        call.fencingToken,
        call.requestId,
      ]);
      const { nowMs, entries } = rows.parseReleaseReport(results[2]);
      return inOrder(calls, entries, (_, { kind }) => ({ outcome: { kind }, nowMs, readAtMs }));
    },

    async forceRelease(calls) {
      const { results, readAtMs } = await run(statements.forceRelease, calls, (call) => [
        call.resource,
        call.fencingToken,
        call.reason,
        call.holdMs,
        call.onlyExpired,
        call.actor,
        call.requestId,
      ]);
      const { nowMs, entries } = rows.parseForceReleaseReport(results[1]);
      const holds = rows.parseRiderRows(results.at(-1));
      const outcome = inOrder(calls, entries, (_, entry): ForceReleaseOutcome => {
        if (entry.kind === 'not-found') return { kind: entry.kind };
        if (entry.kind !== 'released') return { kind: entry.kind, lease: entry.lease };
        return { kind: 'released', released: entry.lease, hold: holds.get(entry.rider) ?? null };
      });
      return { outcome, nowMs, readAtMs };
    },

    async hold(call) {
      const { results, readAtMs } = await run(statements.hold, [call], () => [
        call.resource,
        call.actor,
        call.reason,
        call.ttlMs,
        call.fencingToken,
        call.requestId,
      ]);
      const { nowMs, entries } = rows.parseChangeReport(results.at(-1));
      const [entry] = entries;
      if (entry === undefined) throw new StoreUnavailable('The store gave no outcome');
      const { lease } = entry;
      return {
        outcome: { kind: entry.isChanged ? 'held' : 'lock-changed', lease },
        nowMs,
        readAtMs,
      };
    },

    async askRelease(call) {
      const { results, readAtMs } = await run(statements.askRelease, [call], () => [
        call.resource,
        call.fencingToken,
        call.actor,
        call.reason,
        call.requestId,
      ]);
      const { nowMs, entries } = rows.parseChangeReport(results.at(-1));
      const [entry] = entries;
      if (entry === undefined) return { outcome: { kind: 'not-found' }, nowMs, readAtMs };
      const { lease } = entry;
      return {
        outcome: { kind: entry.isChanged ? 'asked' : 'lock-changed', lease },
        nowMs,
        readAtMs,
      };
    },

    async inspect(resource) {
      const readAtMs = monotonicMs();
      const [found] = await connection.transaction([statements.inspect(resource)]);
      const { nowMs, lease } = rows.parseInspected(found);
      return { outcome: lease, nowMs, readAtMs };
    },
  };
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
    if (entry === undefined) throw new StoreUnavailable('The store gave no outcome');
    return outcomeOf(call, entry);
  });
}
