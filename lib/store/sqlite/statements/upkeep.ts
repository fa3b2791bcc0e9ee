import type { EndedQuery, ForgetCall } from '../../../locks/upkeep';
import type { SqlValue, Statement } from '../lock-file';
import { forcedMemoryMs, riderOf, type StatementParts, type VerbStatements } from './parts';

/** The statements of the work beside the calls: ends are noted, and what is old is forgotten. */

/** One row: now, and the resources and tokens as a JSON array. */
export function endedStatement({ sinceMs, limit }: EndedQuery, clock: string): Statement {
  const values: SqlValue[] = sinceMs === null ? [limit] : [sinceMs, limit];
  return {
    // A subquery, not a table to join: with one the planner no longer trusts the index's order.
    sql: `WITH clock(now_ms) AS MATERIALIZED (SELECT ${clock})
      SELECT (SELECT now_ms FROM clock), json_group_array(json_array(found.resource, found.fencing_token)) FROM (
        SELECT l.resource, l.fencing_token FROM distributed_locks l
        WHERE l.expires_at <= (SELECT now_ms FROM clock) ${sinceMs === null ? '' : 'AND l.expires_at > ?'}
          AND l.expiry_noted IS NOT l.fencing_token
        ORDER BY l.expires_at, l.id LIMIT ?) found`,
    values,
  };
}

const noteEndsFields = ['resource', 'fencingToken', 'holder', 'turnMs'] as const;
export type NoteEndsStatements = VerbStatements<(typeof noteEndsFields)[number]>;

/**
 * Takes the turn, and then decides which of the leases are over and not noted yet. The row keeps the token that was noted,
 * and the event is the same transaction: no second sweeper, and no sweeper that starts again, can write another.
 */
export function noteEndsStatements(parts: StatementParts): NoteEndsStatements {
  const rider = riderOf(noteEndsFields);
  const isOurTurn = `EXISTS (SELECT 1 FROM background_turns t
    WHERE t.task = 'note-ends' AND t.holder = (i.riders ->> '$[0][2]'))`;
  return parts.verb(
    noteEndsFields,
    takeTurn(`SELECT 'note-ends', ${rider.holder}, c.now_ms, c.now_ms + ${rider.turnMs}
      ${parts.riders} WHERE r.key = 0`),
    `UPDATE distributed_locks AS l SET
       change_id = i.change_id, change_kind = CASE WHEN l.hold_name IS NULL THEN 'expired' ELSE 'reopened' END,
       change_at = c.now_ms, change_previous_owner = NULL, change_held_ms = max(0, l.expires_at - l.acquired_at),
       expiry_noted = l.fencing_token
     ${parts.ridersToUpdate}
     WHERE l.resource = ${rider.resource} AND l.fencing_token = ${rider.fencingToken} AND l.expires_at <= c.now_ms
       AND l.expiry_noted IS NOT l.fencing_token AND ${isOurTurn}`,
    parts.writeEvents(['expired', 'reopened'], { actor: null, reason: null, requestId: 'NULL' }),
    `SELECT json_array((SELECT ${isOurTurn} FROM input i), (SELECT count(*) ${parts.ridersWithRows} WHERE ${parts.changed}))`,
  );
}

/** Whoever holds the turn keeps it; another takes it when it has lapsed, or ends too late to have been given by this clock. */
function takeTurn(turn: string): string {
  return `
INSERT INTO background_turns (task, holder, taken_at, lapses_at) ${turn}
ON CONFLICT (task) DO UPDATE SET
  holder = excluded.holder, taken_at = excluded.taken_at, lapses_at = excluded.lapses_at
WHERE background_turns.holder = excluded.holder OR background_turns.lapses_at <= excluded.taken_at
  OR background_turns.taken_at > excluded.taken_at`;
}

/** Where the reports stand among the statements below. */
export const forgottenTurn = 1;
export const forgottenEnd = 2;
export const forgottenLocks = 4;
export const forgottenEvents = 6;

/** One transaction: the turn, the rows, the events that were looked at and belong to no lease that is left, the evictions. */
export function forgetStatements(call: ForgetCall, clock: string): readonly Statement[] {
  const { holder, turnMs, retentionMs, batchMax, after } = call;
  const isOurTurn = `EXISTS (SELECT 1 FROM background_turns t WHERE t.task = 'forget' AND t.holder = ?)`;
  const walked = `FROM lock_events e WHERE e.at < (SELECT ${clock}) - ? AND (e.at, e.id) > (?, ?) AND ${isOurTurn}
    ORDER BY e.at, e.id LIMIT`;
  const walk: SqlValue[] = [retentionMs, after?.atMs ?? 0, Number(after?.id ?? 0), holder];
  const statement = (sql: string, ...values: SqlValue[]): Statement => ({ sql, values });
  return [
    statement(
      takeTurn(
        `SELECT 'forget', ?, c.now_ms, c.now_ms + ? FROM (SELECT ${clock} AS now_ms) c WHERE true`,
      ),
      holder,
      turnMs,
    ),
    statement(`SELECT ${isOurTurn}`, holder),
    statement(`SELECT e.at, e.id ${walked} 1 OFFSET ?`, ...walk, batchMax - 1),
    statement(
      `DELETE FROM distributed_locks WHERE id IN (
         SELECT l.id FROM distributed_locks l
         WHERE l.expires_at < (SELECT ${clock}) - ? AND l.expiry_noted = l.fencing_token AND ${isOurTurn}
         ORDER BY l.expires_at, l.id LIMIT ?)`,
      retentionMs,
      holder,
      batchMax,
    ),
    statement('SELECT changes()'),
    statement(
      `DELETE FROM lock_events WHERE id IN (SELECT w.id FROM (SELECT e.* ${walked} ?) w
       WHERE NOT EXISTS (SELECT 1 FROM distributed_locks l
           WHERE l.resource = w.resource AND l.fencing_token = w.fencing_token)
         AND NOT EXISTS (SELECT 1 FROM evicted_leases v WHERE v.fencing_token = w.fencing_token))`,
      ...walk,
      batchMax,
    ),
    statement('SELECT changes()'),
    statement(
      `DELETE FROM evicted_leases WHERE evicted_at <= (SELECT ${clock}) - ${forcedMemoryMs} AND ${isOurTurn}`,
      holder,
    ),
  ];
}
