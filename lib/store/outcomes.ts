import { StoreUnavailable } from '../locks/errors';
import type { Lease } from '../locks/lease';
import type {
  AcquireCall,
  AcquireOutcome,
  AskReleaseOutcome,
  Dated,
  ForceReleaseOutcome,
  HoldOutcome,
  ReleaseOutcome,
  RenewOutcome,
} from '../locks/lock-store';
import * as reports from './reports';

/**
 * From what the statements of a verb report to the outcomes of its calls, in the order of the calls.
 *
 * @throws StoreUnavailable for a call that the report does not mention.
 */

/** What a transaction reported, and this process's monotonic clock from before it was sent, in milliseconds. */
export interface Reported {
  readonly report: unknown;
  readonly readAtMs: number;
}

export function acquireOutcomes(
  calls: readonly AcquireCall[],
  { report, readAtMs }: Reported,
): Dated<AcquireOutcome>[] {
  const { nowMs, entries } = reports.parseAcquireReport(report);
  return inOrder(calls, entries, (call, entry) => {
    if (entry.granted === null) {
      return { outcome: { kind: 'held', holder: entry.holder }, nowMs, readAtMs };
    }
    const lease = grantedLease(call, entry.granted);
    return { outcome: { kind: 'granted', lease }, nowMs: lease.acquiredAtMs, readAtMs };
  });
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

export function renewOutcomes(
  calls: readonly unknown[],
  { report, readAtMs }: Reported,
): Dated<RenewOutcome>[] {
  const { nowMs, entries } = reports.parseRenewReport(report);
  return inOrder(calls, entries, (_, entry) => ({
    outcome: renewOutcome(entry),
    nowMs: entry.kind === 'renewed' ? (entry.lease.renewedAtMs ?? nowMs) : nowMs,
    readAtMs,
  }));
}

function renewOutcome(entry: reports.RenewEntry): RenewOutcome {
  switch (entry.kind) {
    case 'renewed':
      return entry.due === null
        ? { kind: 'renewed', lease: entry.lease }
        : { kind: 'renewed', lease: entry.lease, due: entry.due };
    case 'expired':
      return { kind: 'expired' };
    case 'lost':
      return { kind: 'lost', forced: entry.forced };
    case 'not-found':
      // A person ended the lease and the row is gone: lost, and the owner is told by whom.
      return entry.forced === null ? { kind: 'not-found' } : { kind: 'lost', forced: entry.forced };
  }
}

export function releaseOutcomes(
  calls: readonly unknown[],
  { report, readAtMs }: Reported,
): Dated<ReleaseOutcome>[] {
  const { nowMs, entries } = reports.parseReleaseReport(report);
  return inOrder(calls, entries, (_, { kind }) => ({ outcome: { kind }, nowMs, readAtMs }));
}

export function forceReleaseOutcomes(
  calls: readonly unknown[],
  { report, readAtMs }: Reported,
): Dated<readonly ForceReleaseOutcome[]> {
  const { nowMs, entries } = reports.parseForceReleaseReport(report);
  const outcome = inOrder(calls, entries, (_, entry): ForceReleaseOutcome => {
    if (entry.kind === 'not-found') return { kind: entry.kind };
    if (entry.kind !== 'released') return { kind: entry.kind, lease: entry.lease };
    return { kind: 'released', released: entry.lease, hold: entry.hold };
  });
  return { outcome, nowMs, readAtMs };
}

export function holdOutcome({ report, readAtMs }: Reported): Dated<HoldOutcome> {
  const { nowMs, entries } = reports.parseChangeReport(report);
  const [entry] = entries;
  if (entry === undefined) throw noOutcome();
  const kind = entry.isChanged ? 'held' : 'lock-changed';
  return { outcome: { kind, lease: entry.lease }, nowMs, readAtMs };
}

export function askReleaseOutcome({ report, readAtMs }: Reported): Dated<AskReleaseOutcome> {
  const { nowMs, entries } = reports.parseChangeReport(report);
  const [entry] = entries;
  if (entry === undefined) return { outcome: { kind: 'not-found' }, nowMs, readAtMs };
  const kind = entry.isChanged ? 'asked' : 'lock-changed';
  return { outcome: { kind, lease: entry.lease }, nowMs, readAtMs };
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
