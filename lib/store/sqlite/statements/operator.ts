import {
  forcedMemoryMs,
  leaseJson,
  riderOf,
  type StatementParts,
  type VerbStatements,
} from './parts';

/** The statements of operators. Each names the lease that was seen, by its token, and changes no other. */

const forceReleaseFields = [
  'resource',
  'fencingToken',
  'reason',
  'holdMs',
  'onlyExpired',
  'actor',
  'requestId',
] as const;
const holdFields = ['resource', 'actor', 'reason', 'ttlMs', 'fencingToken', 'requestId'] as const;
const askReleaseFields = ['resource', 'fencingToken', 'actor', 'reason', 'requestId'] as const;

export type ForceReleaseStatements = VerbStatements<(typeof forceReleaseFields)[number]>;
export type HoldStatements = VerbStatements<(typeof holdFields)[number]>;
export type AskReleaseStatements = VerbStatements<(typeof askReleaseFields)[number]>;

/** Where the report of what was released stands: after the deciding statement, before its rows are gone. */
export const forceReleaseReport = 1;

/**
 * Decides force-releases: marks the lease that was seen if it is over, or live and a reason is given; a hold in its place
 * always wants a reason. What is not marked is another lease by now, or lacks the reason.
 */
export function forceReleaseStatements(parts: StatementParts): ForceReleaseStatements {
  const rider = riderOf(forceReleaseFields);
  const { ridersWithRows, ridersAndRows, changed } = parts;
  return parts.verb(
    forceReleaseFields,
    `UPDATE distributed_locks AS l SET
       change_id = i.change_id, change_at = c.now_ms,
       change_kind = CASE WHEN l.expires_at <= c.now_ms THEN 'cleared'
         WHEN l.hold_name IS NOT NULL THEN 'reopened' ELSE 'force_released' END,
       change_previous_owner = CASE WHEN l.expires_at > c.now_ms AND l.hold_name IS NULL THEN l.owner END,
       change_held_ms = max(0, min(c.now_ms, l.expires_at) - l.acquired_at)
     ${parts.ridersToUpdate}
     WHERE l.resource = ${rider.resource} AND l.fencing_token = ${rider.fencingToken}
       AND ((l.expires_at <= c.now_ms AND (${rider.holdMs} = 0 OR ${rider.reason} IS NOT NULL))
         OR (${rider.reason} IS NOT NULL AND NOT ${rider.onlyExpired}))`,
    `SELECT (SELECT now_ms FROM clock), json_group_array(json_array(r.key, CASE
       WHEN l.id IS NULL THEN 'not-found'
       WHEN ${changed} THEN 'released'
       WHEN l.fencing_token <> ${rider.fencingToken} THEN 'lock-changed'
       WHEN ${rider.onlyExpired} AND l.expires_at > c.now_ms THEN 'still-active'
       ELSE 'reason-required' END, ${leaseJson}))
     ${ridersAndRows}`,
    parts.writeEvents(['force_released', 'cleared', 'reopened'], rider),
    rememberEvicted(parts, rider),
    forgetEvicted,
    `DELETE FROM distributed_locks WHERE id IN
       (SELECT l.id ${ridersWithRows} WHERE ${changed} AND ${rider.holdMs} = 0)`,
    // What is left of the marked rows becomes a hold in the same step, so that nobody can slip in between.
    `UPDATE distributed_locks AS l SET
       owner = 'operator:' || ${rider.actor}, client = NULL, acquired_at = l.change_at,
       expires_at = l.change_at + ${rider.holdMs}, renewed_at = NULL, renew_count = 0, ttl_ms = ${rider.holdMs},
       fencing_token = (SELECT value FROM fencing_counter) + 1 + r.key, metadata = NULL,
       hold_name = ${rider.actor}, hold_reason = ${rider.reason}, release_requested_by = NULL,
       release_requested_reason = NULL, release_requested_at = NULL, change_kind = 'held',
       change_previous_owner = l.owner, change_held_ms = NULL
     ${parts.ridersToUpdate} WHERE l.resource = ${rider.resource} AND ${changed}`,
    parts.writeEvents(['held'], rider),
    parts.raiseCounter,
    `SELECT json_group_array(json_array(r.key, ${leaseJson})) ${ridersWithRows} WHERE ${changed}`,
  );
}

/**
 * Decides a hold in one transaction: prolongs the operator's own, or marks the live lease that was named as evicted, and
 * then takes whatever is free, over or just evicted. A row that is none of these stays as it is: the lock has changed.
 */
export function holdStatements(parts: StatementParts): HoldStatements {
  const rider = riderOf(holdFields);
  const { riders, changed } = parts;
  const named = `l.resource = ${rider.resource} AND l.expires_at > c.now_ms AND l.fencing_token = ${rider.fencingToken}`;
  return parts.verb(
    holdFields,
    `UPDATE distributed_locks AS l SET
       expires_at = max(l.expires_at, c.now_ms + ${rider.ttlMs}), ttl_ms = ${rider.ttlMs},
       hold_reason = ${rider.reason}, change_id = i.change_id, change_kind = 'held', change_at = c.now_ms,
       change_previous_owner = NULL, change_held_ms = NULL
     ${parts.ridersToUpdate} WHERE ${named} AND l.hold_name = ${rider.actor}`,
    `UPDATE distributed_locks AS l SET
       change_id = i.change_id, change_at = c.now_ms,
       change_kind = CASE WHEN l.hold_name IS NULL THEN 'force_released' ELSE 'reopened' END,
       change_previous_owner = CASE WHEN l.hold_name IS NULL THEN l.owner END,
       change_held_ms = max(0, c.now_ms - l.acquired_at)
     ${parts.ridersToUpdate} WHERE ${named} AND l.hold_name IS NOT ${rider.actor}`,
    parts.writeEvents(['force_released', 'reopened'], rider),
    rememberEvicted(parts, rider),
    forgetEvicted,
    `INSERT INTO distributed_locks
       (resource, owner, acquired_at, expires_at, ttl_ms, fencing_token, hold_name, hold_reason,
        change_id, change_kind, change_at)
     SELECT ${rider.resource}, 'operator:' || ${rider.actor}, c.now_ms, c.now_ms + ${rider.ttlMs}, ${rider.ttlMs},
       f.value + 1 + r.key, ${rider.actor}, ${rider.reason}, i.change_id, 'held', c.now_ms
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
    parts.writeEvents(['held'], rider),
    parts.raiseCounter,
    `SELECT (SELECT now_ms FROM clock), json_group_array(json_array(r.key, ${changed}, ${leaseJson})) ${parts.ridersWithRows}`,
  );
}

/** Decides a request to let go: asks the live lease that was seen. A hold has nobody to ask. */
export function askReleaseStatements(parts: StatementParts): AskReleaseStatements {
  const rider = riderOf(askReleaseFields);
  return parts.verb(
    askReleaseFields,
    `UPDATE distributed_locks AS l SET
       release_requested_by = ${rider.actor}, release_requested_reason = ${rider.reason},
       release_requested_at = c.now_ms, change_id = i.change_id, change_kind = 'release_requested',
       change_at = c.now_ms, change_previous_owner = NULL, change_held_ms = NULL
     ${parts.ridersToUpdate}
     WHERE l.resource = ${rider.resource} AND l.fencing_token = ${rider.fencingToken} AND l.hold_name IS NULL
       AND l.expires_at > c.now_ms`,
    parts.writeEvents(['release_requested'], rider),
    `SELECT (SELECT now_ms FROM clock), json_group_array(json_array(r.key, ${parts.changed}, ${leaseJson})) FILTER (WHERE l.id IS NOT NULL)
     ${parts.ridersAndRows}`,
  );
}

/** For each lease that a person ended live: what its owner is told at its next renew. */
function rememberEvicted(
  { ridersWithRows, changed }: StatementParts,
  rider: Record<'actor' | 'reason', string>,
): string {
  return `
INSERT INTO evicted_leases (fencing_token, resource, owner, client, evicted_by, reason, evicted_at)
SELECT l.fencing_token, l.resource, l.owner, l.client, ${rider.actor}, ${rider.reason}, l.change_at
${ridersWithRows}
WHERE ${changed} AND l.change_kind = 'force_released'`;
}

/** A day after, nobody is told any more. Few rows: only people evict. */
const forgetEvicted = `
DELETE FROM evicted_leases WHERE evicted_at <= (SELECT now_ms FROM clock) - ${forcedMemoryMs}`;
