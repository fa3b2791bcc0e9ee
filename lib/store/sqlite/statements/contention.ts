import { contentionLimits } from '../../../locks/contention';
import { denialFields, tidiedMax } from '../../lock-verbs';
import type { Statement } from '../lock-file';
import { riderOf, type StatementParts, type VerbStatements } from './parts';

/** The statements that remember denied acquires. Nobody waits for them. */

export type DenialStatements = VerbStatements<(typeof denialFields)[number]>;

const { toldEveryMs, askersMax, askersShownMax } = contentionLimits;
const askingMs = String(contentionLimits.askingMs);

/** That the history is to be told of a contended lock `c` now. */
const isDue = `c.untold > 0 AND (c.told_at IS NULL OR c.told_at <= (SELECT now_ms FROM clock) - ${String(toldEveryMs)})`;

function tell(where: string): readonly [string, string] {
  return [
    `INSERT INTO lock_events (at, kind, resource, owner, fencing_token, client, count)
     SELECT (SELECT now_ms FROM clock), 'contended', c.resource, c.owner, c.fencing_token, c.client, c.untold
     FROM contended_locks c WHERE ${where} AND ${isDue}`,
    `UPDATE contended_locks AS c SET untold = 0, told_at = (SELECT now_ms FROM clock) WHERE ${where} AND ${isDue}`,
  ];
}

/** Adds what was counted, keeps the latest askers of each resource, and tells the history once in a while. */
export function noteDenialsStatements(parts: StatementParts): DenialStatements {
  const rider = riderOf(denialFields);
  const among = `SELECT r.value ->> 0 FROM input i CROSS JOIN json_each(i.riders) r`;
  return parts.verb(
    denialFields,
    // Whoever paused for a minute begins anew.
    `INSERT INTO lock_askers (resource, owner, client, attempts, first_at, last_at)
     SELECT ${rider.resource}, ${rider.owner}, coalesce(${rider.client}, ''), ${rider.attempts}, ${rider.firstAtMs},
       ${rider.lastAtMs}
     ${parts.riders} WHERE true
     ON CONFLICT (resource, owner, client) DO UPDATE SET
       attempts = CASE WHEN lock_askers.last_at <= excluded.first_at - ${askingMs} THEN excluded.attempts
         ELSE min(lock_askers.attempts + excluded.attempts, 2147483647) END,
       first_at = CASE WHEN lock_askers.last_at <= excluded.first_at - ${askingMs} THEN excluded.first_at
         ELSE min(lock_askers.first_at, excluded.first_at) END,
       last_at = max(lock_askers.last_at, excluded.last_at)`,
    `DELETE FROM lock_askers WHERE rowid IN (SELECT id FROM (
       SELECT a.rowid AS id, row_number() OVER (
         PARTITION BY a.resource ORDER BY a.last_at DESC, a.owner, a.client) AS place
       FROM lock_askers a WHERE a.resource IN (${among})) WHERE place > ${String(askersMax)})`,
    // The riders of a resource one after the other, so that its last denier is the latest lease.
    `INSERT INTO contended_locks (resource, owner, client, fencing_token, untold)
     SELECT ${rider.resource}, ${rider.holderOwner}, ${rider.holderClient}, ${rider.fencingToken}, ${rider.attempts}
     ${parts.riders} WHERE true ORDER BY ${rider.fencingToken}
     ON CONFLICT (resource) DO UPDATE SET
       owner = excluded.owner, client = excluded.client, fencing_token = excluded.fencing_token,
       untold = contended_locks.untold + excluded.untold`,
    ...tell(`c.resource IN (${among})`),
  );
}

/** Tells what is due, and forgets some of what is of no use any more. The last answers when there will be more. */
export function tidyDenialsStatements(parts: StatementParts): VerbStatements<'resource'> {
  const before = `(SELECT now_ms FROM clock) - ${askingMs}`;
  const some = `LIMIT ${String(tidiedMax)}`;
  return parts.verb(
    ['resource'],
    ...tell('true'),
    `DELETE FROM lock_askers WHERE rowid IN (
       SELECT a.rowid FROM lock_askers a WHERE a.last_at <= ${before} ORDER BY a.last_at ${some})`,
    `DELETE FROM contended_locks WHERE rowid IN (
       SELECT c.rowid FROM contended_locks c WHERE c.untold = 0 AND c.told_at <= ${before} ${some})`,
    `SELECT CASE WHEN EXISTS (SELECT 1 FROM lock_askers a WHERE a.last_at <= ${before}) THEN 'now'
       WHEN EXISTS (SELECT 1 FROM lock_askers) OR EXISTS (SELECT 1 FROM contended_locks) THEN 'later'
       ELSE 'never' END`,
  );
}

/** One row: now, and who asks for a resource as a JSON array, the longest first. Its own holder asks no more. */
export function askersStatement(clock: string, resource: string): Statement {
  return {
    sql: `WITH clock(now_ms) AS MATERIALIZED (SELECT ${clock})
      SELECT (SELECT now_ms FROM clock), (SELECT json_group_array(json(asker)) FROM (
        SELECT json_array(a.owner, nullif(a.client, ''), a.attempts, a.first_at, a.last_at) AS asker
        FROM lock_askers a LEFT JOIN distributed_locks l ON l.resource = a.resource
        WHERE a.resource = ? AND a.last_at > (SELECT now_ms FROM clock) - ${askingMs}
          AND NOT (l.id IS NOT NULL AND a.owner = l.owner AND a.client = coalesce(l.client, ''))
        ORDER BY a.first_at, a.owner, a.client LIMIT ${String(askersShownMax)}))`,
    values: [resource],
  };
}

/** All who ask for the lock `l`, in short, as a JSON array; null if nobody does. */
export function contentionJson(now: string): string {
  // Beside a max(), SQLite takes a bare column from the row that has it.
  return `(SELECT CASE WHEN count(*) > 0 THEN json_array(sum(a.attempts), count(*), a.owner, max(a.last_at)) END
    FROM lock_askers a WHERE a.resource = l.resource AND a.last_at > ${now} - ${askingMs}
      AND NOT (a.owner = l.owner AND a.client = coalesce(l.client, '')))`;
}
