import { limits } from '../../locks/limits';
import type { SqlValue, Statement } from './connection';

/**
 * Every SQL text of the SQLite store but the list's, which is put together from its filters in `list-statement.ts`.
 *
 * A group travels as one JSON array of riders, so the number of statements does not grow with the group. The first
 * statement of a verb decides: it names the rows it changed with this transaction's `change_id`, and those after it
 * write the events, report, and remove what ended. SQLite has one writer, so nothing comes between them.
 */

/** The store's clock in SQL, integer milliseconds. Rounded: `unixepoch('subsec')` is a fraction that may end in …999. */
export const sqliteClock = `CAST(round(unixepoch('subsec') * 1000) AS INTEGER)`;

/** The columns of a lease in the order in which `rows.ts` parses them. */
export const leaseColumns = [
  'id',
  'resource',
  'owner',
  'client',
  'acquired_at',
  'expires_at',
  'renewed_at',
  'renew_count',
  'ttl_ms',
  'fencing_token',
  'hold_name',
  'hold_reason',
  'release_requested_by',
  'release_requested_reason',
  'release_requested_at',
  'metadata',
] as const;

export const leaseJson = `json_array(${leaseColumns.map((column) => `l.${column}`).join(', ')})`;

/** The riders of a group: an array of arrays, each in the order that its verb's statements read. */
export interface Group {
  readonly riders: string;
  /** Unique for each transaction. */
  readonly changeId: string;
}

/** The statements of one transaction, in order. */
export type GroupStatements = (group: Group) => readonly Statement[];

export interface SqliteStatements {
  readonly acquire: GroupStatements;
  readonly renew: GroupStatements;
  readonly release: GroupStatements;
  readonly forceRelease: GroupStatements;
  readonly hold: GroupStatements;
  readonly askRelease: GroupStatements;
  readonly inspect: (resource: string) => Statement;
}

/** @param clock an SQL expression for now in milliseconds; tests pin it. */
export function sqliteStatements(clock: string): SqliteStatements {
  const input = `WITH input(riders, change_id) AS MATERIALIZED (SELECT ?, ?),
  clock(now_ms) AS MATERIALIZED (SELECT ${clock})`;

  /** `r` are the riders, `i` the input, `c` the clock; put first, since each rider finds its row by the unique index. */
  const riders = `FROM input i CROSS JOIN clock c CROSS JOIN json_each(i.riders) r`;
  const ridersWithRows = `${riders} CROSS JOIN distributed_locks l ON l.resource = r.value ->> 0`;
  const ridersWithOrWithoutRows = `${riders} LEFT JOIN distributed_locks l ON l.resource = r.value ->> 0`;
  const changed = `l.change_id = i.change_id`;

  const forGroup =
    (...texts: readonly string[]) =>
    ({ riders: list, changeId }: Group): readonly Statement[] => {
      const values: readonly SqlValue[] = [list, changeId];
      return texts.map((text) => ({ sql: `${input}\n${text}`, values }));
    };

  /** The event of each row that this transaction changed, from what the deciding statement left in the row. */
  const writeEvents = (
    columns: { actor: string; reason: string; requestId: string },
    kinds: string,
  ) => `
INSERT INTO lock_events
  (at, kind, resource, owner, fencing_token, expires_at, previous_owner, client, actor, reason, held_ms, request_id)
SELECT l.change_at, l.change_kind, l.resource, l.owner, l.fencing_token, l.expires_at, l.change_previous_owner,
  l.client, ${columns.actor}, ${columns.reason}, l.change_held_ms, ${columns.requestId}
${ridersWithRows}
WHERE ${changed} AND l.change_kind IN (${kinds})`;

  /** Raises the counter past the tokens given in this transaction, and writes nothing if none was. */
  const raiseCounter = `
UPDATE fencing_counter SET value = value + (SELECT json_array_length(riders) FROM input)
WHERE EXISTS (SELECT 1 ${ridersWithRows} WHERE ${changed} AND l.fencing_token > fencing_counter.value)`;

  const rememberEvicted = (actor: string, reason: string) => `
INSERT INTO evicted_leases (fencing_token, resource, owner, client, evicted_by, reason, evicted_at)
SELECT l.fencing_token, l.resource, l.owner, l.client, ${actor}, ${reason}, l.change_at
${ridersWithRows}
WHERE ${changed} AND l.change_kind = 'force_released'`;

  const ownAs = (owner: string, client: string, token: string) =>
    `l.owner = ${owner} AND l.client IS ${client} AND l.hold_name IS NULL
     AND (${token} IS NULL OR l.fencing_token = ${token})`;

  return {
    acquire: forGroup(
      acquireDecides(riders),
      writeEvents(
        { actor: 'NULL', reason: 'NULL', requestId: 'r.value ->> 5' },
        `'acquired', 'reacquired', 'claimed'`,
      ),
      raiseCounter,
      // One row for the group: now, and for each rider what it was granted, or who holds the lock.
      `SELECT c.now_ms, json_group_array(CASE WHEN ${changed}
         THEN json_array(r.key, 1, l.id, l.acquired_at, l.fencing_token)
         ELSE json_array(r.key, 0, ${leaseJson}) END) ${ridersWithRows}`,
    ),
    renew: forGroup(
      // Decides: extends what the caller still holds, and nothing else. A row it does not change is not the caller's.
      `UPDATE distributed_locks AS l SET
         expires_at = max(l.expires_at, c.now_ms + (r.value ->> 3)), renewed_at = c.now_ms,
         renew_count = l.renew_count + 1, ttl_ms = r.value ->> 3, change_id = i.change_id, change_kind = 'renewed',
         change_at = c.now_ms
       ${riders}
       WHERE l.resource = r.value ->> 0 AND ${ownAs('r.value ->> 1', 'r.value ->> 2', 'r.value ->> 4')}
         AND l.expires_at > c.now_ms`,
      ...renewRefused({
        ridersWithOrWithoutRows,
        riders,
        changed,
        own: ownAs('r.value ->> 1', 'r.value ->> 2', 'r.value ->> 4'),
      }),
    ),
    release: forGroup(
      // Decides: marks what the caller still holds as released. Late, twice or by another: no row is marked.
      `UPDATE distributed_locks AS l SET
         change_id = i.change_id, change_kind = 'released', change_at = c.now_ms, change_previous_owner = NULL,
         change_held_ms = max(0, c.now_ms - l.acquired_at)
       ${riders}
       WHERE l.resource = r.value ->> 0 AND ${ownAs('r.value ->> 1', 'r.value ->> 2', 'r.value ->> 3')}
         AND l.expires_at > c.now_ms`,
      writeEvents({ actor: 'NULL', reason: 'NULL', requestId: 'r.value ->> 4' }, `'released'`),
      `SELECT c.now_ms, json_group_array(json_array(r.key, CASE
         WHEN l.id IS NULL THEN 'not-found'
         WHEN ${changed} THEN 'released'
         WHEN ${ownAs('r.value ->> 1', 'r.value ->> 2', 'r.value ->> 3')} THEN 'expired'
         ELSE 'not-owner' END)) ${ridersWithOrWithoutRows}`,
      `DELETE FROM distributed_locks WHERE id IN (SELECT l.id ${ridersWithRows} WHERE ${changed})`,
    ),
    forceRelease: forGroup(
      forceReleaseDecides(riders),
      `SELECT c.now_ms, json_group_array(json_array(r.key, CASE
         WHEN l.id IS NULL THEN 'not-found'
         WHEN ${changed} THEN 'released'
         WHEN l.fencing_token <> r.value ->> 1 THEN 'lock-changed'
         WHEN r.value ->> 4 THEN 'still-active'
         ELSE 'reason-required' END, ${leaseJson})) ${ridersWithOrWithoutRows}`,
      writeEvents(
        { actor: 'r.value ->> 5', reason: 'r.value ->> 2', requestId: 'r.value ->> 6' },
        `'force_released', 'cleared', 'reopened'`,
      ),
      rememberEvicted('r.value ->> 5', 'r.value ->> 2'),
      forgetEvicted,
      `DELETE FROM distributed_locks WHERE id IN
         (SELECT l.id ${ridersWithRows} WHERE ${changed} AND r.value ->> 3 = 0)`,
      // What is left of the marked rows becomes a hold in the same step, so that nobody can slip in between.
      `UPDATE distributed_locks AS l SET
         owner = 'operator:' || (r.value ->> 5), client = NULL, acquired_at = l.change_at,
         expires_at = l.change_at + (r.value ->> 3), renewed_at = NULL, renew_count = 0, ttl_ms = r.value ->> 3,
         fencing_token = (SELECT value FROM fencing_counter) + 1 + r.key, metadata = NULL,
         hold_name = r.value ->> 5, hold_reason = r.value ->> 2, release_requested_by = NULL,
         release_requested_reason = NULL, release_requested_at = NULL, change_kind = 'held',
         change_previous_owner = l.owner, change_held_ms = NULL
       ${riders} WHERE l.resource = r.value ->> 0 AND ${changed}`,
      writeEvents(
        { actor: 'r.value ->> 5', reason: 'r.value ->> 2', requestId: 'r.value ->> 6' },
        `'held'`,
      ),
      raiseCounter,
      `SELECT json_group_array(json_array(r.key, ${leaseJson})) ${ridersWithRows} WHERE ${changed}`,
    ),
    hold: forGroup(
      ...holdDecides(riders, {
        writeEvents: (kinds) =>
          writeEvents(
            { actor: 'r.value ->> 1', reason: 'r.value ->> 2', requestId: 'r.value ->> 5' },
            kinds,
          ),
        rememberEvicted: rememberEvicted('r.value ->> 1', 'r.value ->> 2'),
      }),
      raiseCounter,
      `SELECT c.now_ms, json_group_array(json_array(r.key, ${changed} AND l.change_kind = 'held', ${leaseJson}))
       ${ridersWithRows}`,
    ),
    askRelease: forGroup(
      // Decides: asks the live lease that was seen. A hold has nobody to ask.
      `UPDATE distributed_locks AS l SET
         release_requested_by = r.value ->> 2, release_requested_reason = r.value ->> 3,
         release_requested_at = c.now_ms, change_id = i.change_id, change_kind = 'release_requested',
         change_at = c.now_ms, change_previous_owner = NULL, change_held_ms = NULL
       ${riders}
       WHERE l.resource = r.value ->> 0 AND l.fencing_token = r.value ->> 1 AND l.hold_name IS NULL
         AND l.expires_at > c.now_ms`,
      writeEvents(
        { actor: 'r.value ->> 2', reason: 'r.value ->> 3', requestId: 'r.value ->> 4' },
        `'release_requested'`,
      ),
      `SELECT c.now_ms, json_group_array(json_array(r.key, ${changed}, ${leaseJson})) FILTER (WHERE l.id IS NOT NULL)
       ${ridersWithOrWithoutRows}`,
    ),
    inspect: (resource) => ({
      sql: `SELECT ${clock}, (SELECT ${leaseJson} FROM distributed_locks l WHERE l.resource = ?)`,
      values: [resource],
    }),
  };
}

/**
 * Decides a group of acquires: inserts a free name, takes an expired row over in place, grants the same owner and
 * client anew, and changes no row that somebody holds. An unchanged row means: held. The token is read from the counter
 * while this transaction has the only writer.
 */
function acquireDecides(riders: string): string {
  return `
INSERT INTO distributed_locks
  (resource, owner, client, acquired_at, expires_at, ttl_ms, fencing_token, metadata, change_id, change_kind, change_at)
SELECT r.value ->> 0, r.value ->> 1, r.value ->> 2, c.now_ms, c.now_ms + (r.value ->> 3), r.value ->> 3,
  f.value + 1 + r.key, r.value ->> 4, i.change_id, 'acquired', c.now_ms
${riders} CROSS JOIN fencing_counter f WHERE true
ON CONFLICT (resource) DO UPDATE SET
  change_kind = CASE WHEN distributed_locks.expires_at > excluded.acquired_at THEN 'reacquired' ELSE 'claimed' END,
  change_previous_owner = distributed_locks.owner,
  change_held_ms =
    max(0, min(excluded.acquired_at, distributed_locks.expires_at) - distributed_locks.acquired_at),
  change_id = excluded.change_id, change_at = excluded.change_at,
  owner = excluded.owner, client = excluded.client, acquired_at = excluded.acquired_at,
  expires_at = excluded.expires_at, renewed_at = NULL, renew_count = 0, ttl_ms = excluded.ttl_ms,
  fencing_token = excluded.fencing_token, metadata = excluded.metadata, hold_name = NULL, hold_reason = NULL,
  release_requested_by = NULL, release_requested_reason = NULL, release_requested_at = NULL
WHERE distributed_locks.expires_at <= excluded.acquired_at
  OR (distributed_locks.owner = excluded.owner AND distributed_locks.client IS excluded.client
      AND distributed_locks.hold_name IS NULL)`;
}

/**
 * For each rider that was not renewed: the first time, notes that an evicted owner has noticed; then says how the lease
 * stands. One row for the group: now, and for each rider what became of it.
 */
function renewRefused(sql: {
  riders: string;
  ridersWithOrWithoutRows: string;
  changed: string;
  own: string;
}): readonly string[] {
  /** The rider's lease that a person ended in the last day, unless the same owner has been granted another since. */
  const isEvicted = `e.resource = r.value ->> 0 AND e.owner = r.value ->> 1
    AND e.client IS r.value ->> 2 AND e.evicted_at > c.now_ms - ${String(limits.forcedMemoryMs)}
    AND (CASE WHEN r.value ->> 4 IS NOT NULL THEN e.fencing_token = r.value ->> 4
         ELSE e.fencing_token = (SELECT max(later.fencing_token) FROM lock_events later
           WHERE later.resource = e.resource AND later.owner = e.owner AND later.client IS e.client
             AND later.kind IN ('acquired', 'reacquired', 'claimed')) END)`;
  const notOwn = `(l.id IS NULL OR NOT (${sql.own}))`;
  return [
    `INSERT INTO lock_events (at, kind, resource, owner, fencing_token, client, request_id)
     SELECT c.now_ms, 'noticed', e.resource, e.owner, e.fencing_token, e.client, r.value ->> 5
     ${sql.ridersWithOrWithoutRows} CROSS JOIN evicted_leases e ON ${isEvicted} AND e.noticed_at IS NULL
     WHERE ${notOwn}`,
    `UPDATE evicted_leases SET noticed_at = (SELECT now_ms FROM clock) WHERE noticed_at IS NULL AND fencing_token IN
       (SELECT e.fencing_token ${sql.ridersWithOrWithoutRows} CROSS JOIN evicted_leases e ON ${isEvicted}
        WHERE ${notOwn})`,
    `SELECT c.now_ms, json_group_array(CASE
       WHEN ${sql.changed} THEN json_array(r.key, 'renewed', ${leaseJson})
       WHEN ${sql.own} THEN json_array(r.key, 'expired')
       ELSE json_array(r.key, CASE WHEN l.id IS NULL THEN 'not-found' ELSE 'lost' END,
         json((SELECT json_array(e.evicted_by, e.reason, e.evicted_at) FROM evicted_leases e WHERE ${isEvicted}
          ORDER BY e.fencing_token DESC LIMIT 1))) END)
     ${sql.ridersWithOrWithoutRows}`,
  ];
}

/**
 * Decides a group of force-releases: marks the lease that was seen, by its token, if it is over or may be ended live.
 * What is not marked was another lease by then, or wants a reason.
 */
function forceReleaseDecides(riders: string): string {
  return `
UPDATE distributed_locks AS l SET
  change_id = i.change_id, change_at = c.now_ms,
  change_kind = CASE WHEN l.expires_at <= c.now_ms THEN 'cleared' WHEN l.hold_name IS NOT NULL THEN 'reopened'
    ELSE 'force_released' END,
  change_previous_owner = CASE WHEN l.expires_at > c.now_ms AND l.hold_name IS NULL THEN l.owner END,
  change_held_ms = max(0, min(c.now_ms, l.expires_at) - l.acquired_at)
${riders}
WHERE l.resource = r.value ->> 0 AND l.fencing_token = r.value ->> 1
  AND (l.expires_at <= c.now_ms OR (r.value ->> 2 IS NOT NULL AND NOT r.value ->> 4))`;
}

/** A day after, nobody is told any more. Few rows: only people evict. */
const forgetEvicted = `
DELETE FROM evicted_leases WHERE evicted_at <= (SELECT now_ms FROM clock) - ${String(limits.forcedMemoryMs)}`;

/**
 * Decides a hold in one transaction: prolongs the operator's own, or marks the live lease that was named as evicted, and
 * then takes whatever is free, over or just evicted. A row that is none of these stays as it is: the lock has changed.
 */
function holdDecides(
  riders: string,
  sql: { writeEvents: (kinds: string) => string; rememberEvicted: string },
): readonly string[] {
  const named = `l.resource = r.value ->> 0 AND l.expires_at > c.now_ms AND l.fencing_token = r.value ->> 4`;
  return [
    `UPDATE distributed_locks AS l SET
       expires_at = max(l.expires_at, c.now_ms + (r.value ->> 3)), ttl_ms = r.value ->> 3,
       hold_reason = r.value ->> 2, change_id = i.change_id, change_kind = 'held', change_at = c.now_ms,
       change_previous_owner = NULL, change_held_ms = NULL
     ${riders} WHERE ${named} AND l.hold_name = r.value ->> 1`,
    `UPDATE distributed_locks AS l SET
       change_id = i.change_id, change_at = c.now_ms,
       change_kind = CASE WHEN l.hold_name IS NULL THEN 'force_released' ELSE 'reopened' END,
       change_previous_owner = CASE WHEN l.hold_name IS NULL THEN l.owner END,
       change_held_ms = max(0, c.now_ms - l.acquired_at)
     ${riders} WHERE ${named} AND l.hold_name IS NOT r.value ->> 1`,
    sql.writeEvents(`'force_released', 'reopened'`),
    sql.rememberEvicted,
    forgetEvicted,
    `INSERT INTO distributed_locks
       (resource, owner, acquired_at, expires_at, ttl_ms, fencing_token, hold_name, hold_reason, change_id, change_kind,
        change_at)
     SELECT r.value ->> 0, 'operator:' || (r.value ->> 1), c.now_ms, c.now_ms + (r.value ->> 3), r.value ->> 3,
       f.value + 1 + r.key, r.value ->> 1, r.value ->> 2, i.change_id, 'held', c.now_ms
     ${riders} CROSS JOIN fencing_counter f WHERE true
     ON CONFLICT (resource) DO UPDATE SET
       change_previous_owner = distributed_locks.owner, change_held_ms = NULL,
       owner = excluded.owner, client = NULL, acquired_at = excluded.acquired_at, expires_at = excluded.expires_at,
       renewed_at = NULL, renew_count = 0, ttl_ms = excluded.ttl_ms, fencing_token = excluded.fencing_token,
       metadata = NULL, hold_name = excluded.hold_name, hold_reason = excluded.hold_reason,
       release_requested_by = NULL, release_requested_reason = NULL, release_requested_at = NULL,
       change_id = excluded.change_id, change_kind = 'held', change_at = excluded.change_at
     WHERE distributed_locks.expires_at <= excluded.acquired_at
       OR (distributed_locks.change_id = excluded.change_id
           AND distributed_locks.change_kind IN ('force_released', 'reopened'))`,
    sql.writeEvents(`'held'`),
  ];
}
