import { stateAt, type Lease } from '../../locks/lease';
import { limits } from '../../locks/limits';
import { isNewer, type EventsPosition } from '../../locks/trail';
import type {
  EndedLease,
  EndedQuery,
  ForgetCall,
  ForgetOutcome,
  NoteEndsCall,
  NoteEndsOutcome,
} from '../../locks/upkeep';
import { factsOf, heldMsAt, writeEvent, type MemoryTables } from './tables';

/** Leases that are over and not on record as such, the earliest end first. */
export function endedLeases(
  tables: MemoryTables,
  { sinceMs, limit }: EndedQuery,
  nowMs: number,
): readonly EndedLease[] {
  return [...tables.leases.values()]
    .filter((lease) => stateAt(lease, nowMs) === 'expired' && !isNoted(tables, lease))
    .filter((lease) => sinceMs === null || lease.expiresAtMs > sinceMs)
    .sort((one, other) => one.expiresAtMs - other.expiresAtMs || Number(one.id) - Number(other.id))
    .slice(0, limit)
    .map(({ resource, fencingToken }) => ({ resource, fencingToken }));
}

/** Notes each end once. What is another lease by now, or alive after all, is left alone. */
export function noteEnds(
  tables: MemoryTables,
  { holder, turnMs, leases }: NoteEndsCall,
  nowMs: number,
): NoteEndsOutcome {
  if (!takeTurn(tables, 'note-ends', holder, nowMs, turnMs)) return { isOurTurn: false, noted: 0 };
  let noted = 0;
  for (const { resource, fencingToken } of leases) {
    const lease = tables.leases.get(resource);
    if (lease?.fencingToken !== fencingToken || isNoted(tables, lease)) continue;
    if (stateAt(lease, nowMs) === 'active') continue;
    tables.notedTokens.set(resource, fencingToken);
    writeEvent(tables, {
      ...factsOf(lease),
      atMs: nowMs,
      kind: lease.hold === null ? 'expired' : 'reopened',
      heldMs: heldMsAt(lease, nowMs),
      requestId: null,
    });
    noted += 1;
  }
  return { isOurTurn: true, noted };
}

/** Rows first, so that the events of a lease go with its row or after it. */
export function forgetOld(
  tables: MemoryTables,
  { holder, turnMs, retentionMs, batchMax, after }: ForgetCall,
  nowMs: number,
): ForgetOutcome {
  if (!takeTurn(tables, 'forget', holder, nowMs, turnMs)) {
    return { isOurTurn: false, locks: 0, events: 0, next: null };
  }
  const oldMs = nowMs - retentionMs;
  const rows = [...tables.leases.values()]
    .filter((lease) => lease.expiresAtMs < oldMs && isNoted(tables, lease))
    .sort((one, other) => one.expiresAtMs - other.expiresAtMs)
    .slice(0, batchMax);
  for (const { resource } of rows) {
    tables.leases.delete(resource);
    tables.notedTokens.delete(resource);
  }
  const walked = tables.events
    .filter((event) => event.atMs < oldMs && (after === null || isLater(event, after)))
    .sort((one, other) => (isLater(one, other) ? 1 : -1))
    .slice(0, batchMax);
  const gone = new Set(walked.filter((event) => !isKept(tables, event, nowMs)));
  const left = tables.events.filter((event) => !gone.has(event));
  tables.events.splice(0, tables.events.length, ...left);
  const last = walked.length === batchMax ? walked.at(-1) : undefined;
  const next = last === undefined ? null : { atMs: last.atMs, id: last.id };
  return { isOurTurn: true, locks: rows.length, events: gone.size, next };
}

const noFilter = {
  kinds: null,
  actor: null,
  client: null,
  resource: null,
  sinceMs: null,
  untilMs: null,
  visible: null,
} as const;

function isLater(one: EventsPosition, other: EventsPosition): boolean {
  return isNewer(noFilter, one, other);
}

/** Events of a lease that still has a row, or whose owner is still told that a person ended it. */
function isKept(
  tables: MemoryTables,
  event: MemoryTables['events'][number],
  nowMs: number,
): boolean {
  const { fencingToken, resource } = event;
  if (fencingToken === null || resource === null) return false;
  if (tables.leases.get(resource)?.fencingToken === fencingToken) return true;
  return tables.events.some(
    (other) =>
      other.kind === 'force_released' &&
      other.fencingToken === fencingToken &&
      nowMs < other.atMs + limits.forcedMemoryMs,
  );
}

function isNoted(tables: MemoryTables, { resource, fencingToken }: Lease): boolean {
  return tables.notedTokens.get(resource) === fencingToken;
}

/** Whoever holds the turn keeps it; another takes it when it has lapsed, or was taken later than the clock knows of. */
function takeTurn(
  tables: MemoryTables,
  task: string,
  holder: string,
  nowMs: number,
  turnMs: number,
): boolean {
  const turn = tables.turns.get(task);
  const isFree =
    turn === undefined ||
    turn.holder === holder ||
    turn.lapsesAtMs <= nowMs ||
    turn.takenAtMs > nowMs;
  if (isFree) tables.turns.set(task, { holder, takenAtMs: nowMs, lapsesAtMs: nowMs + turnMs });
  return isFree;
}
