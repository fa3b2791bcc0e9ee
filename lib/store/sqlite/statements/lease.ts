import { renewalsToldEveryMs } from '../../../locks/renewals';
import { renewalFields } from '../../lock-verbs';
import type { Statement } from '../lock-file';
import { contentionJson } from './contention';
import {
  forcedMemoryMs,
  leaseJson,
  ownLease,
  riderOf,
  sameClient,
  type StatementParts,
  type VerbStatements,
} from './parts';

/** The statements of the services that hold locks. */

const acquireFields = ['resource', 'owner', 'client', 'ttlMs', 'metadata', 'requestId'] as const;
const renewFields = ['resource', 'owner', 'client', 'ttlMs', 'fencingToken', 'requestId'] as const;
const releaseFields = ['resource', 'owner', 'client', 'fencingToken', 'requestId'] as const;

export type AcquireStatements = VerbStatements<(typeof acquireFields)[number]>;
export type RenewStatements = VerbStatements<(typeof renewFields)[number]>;
export type ReleaseStatements = VerbStatements<(typeof releaseFields)[number]>;

/**
 * Decides a group of acquires: inserts a free name, takes an expired row over in place, grants the same owner and
 * client anew, and changes no row that somebody holds. An unchanged row means: held. The token is read from the counter
 * while this transaction has the only writer.
 */
export function acquireStatements(parts: StatementParts): AcquireStatements {
  const rider = riderOf(acquireFields);
  // Left out before the insert: one that conflicts and changes nothing still takes a row id, and that is a write.
  const heldByAnother = `SELECT 1 FROM distributed_locks h
    WHERE h.resource = ${rider.resource} AND h.expires_at > c.now_ms
      AND NOT (h.owner = ${rider.owner} AND ${sameClient('h', rider.client)} AND h.hold_name IS NULL)`;
  return parts.verb(
    acquireFields,
    `INSERT INTO distributed_locks
       (resource, owner, client, acquired_at, expires_at, ttl_ms, fencing_token, metadata,
        change_id, change_kind, change_at)
     SELECT ${rider.resource}, ${rider.owner}, ${rider.client}, c.now_ms, c.now_ms + ${rider.ttlMs}, ${rider.ttlMs},
       f.value + 1 + r.key, ${rider.metadata}, i.change_id, 'acquired', c.now_ms
     ${parts.riders} CROSS JOIN fencing_counter f WHERE NOT EXISTS (${heldByAnother})
     ON CONFLICT (resource) DO UPDATE SET
       change_kind =
         CASE WHEN distributed_locks.expires_at > excluded.acquired_at THEN 'reacquired' ELSE 'claimed' END,
       change_previous_owner = distributed_locks.owner,
       change_held_ms =
         max(0, min(excluded.acquired_at, distributed_locks.expires_at) - distributed_locks.acquired_at),
       change_id = excluded.change_id, change_at = excluded.change_at,
       owner = excluded.owner, client = excluded.client, acquired_at = excluded.acquired_at,
       expires_at = excluded.expires_at, renewed_at = NULL, renew_count = 0, ttl_ms = excluded.ttl_ms,
       fencing_token = excluded.fencing_token, metadata = excluded.metadata, hold_name = NULL, hold_reason = NULL,
       release_requested_by = NULL, release_requested_reason = NULL, release_requested_at = NULL
     WHERE distributed_locks.expires_at <= excluded.acquired_at
       OR (distributed_locks.owner = excluded.owner
           AND ${sameClient('distributed_locks', 'excluded.client')} AND distributed_locks.hold_name IS NULL)`,
    parts.writeEvents(['acquired', 'reacquired', 'claimed'], {
      actor: null,
      reason: null,
      requestId: rider.requestId,
    }),
    parts.raiseCounter,
    // Reports, in one row: now, and for each rider what it was granted, or who holds the lock.
    `SELECT (SELECT now_ms FROM clock), json_group_array(CASE WHEN ${parts.changed}
       THEN json_array(r.key, 1, l.id, l.acquired_at, l.fencing_token)
       ELSE json_array(r.key, 0, ${leaseJson}) END)
     ${parts.ridersWithRows}`,
  );
}

/** Decides a group of renewals: extends what each caller still holds, and changes nothing else. Never inserts. */
export function renewStatements(parts: StatementParts): RenewStatements {
  const rider = riderOf(renewFields);
  const own = ownLease(rider);
  const notOwn = `(l.id IS NULL OR NOT (${own}))`;
  /** The rider's lease that a person ended in the last day, unless the same owner has been granted another since. */
  const isEvicted = `e.resource = ${rider.resource} AND e.owner = ${rider.owner} AND ${sameClient('e', rider.client)}
    AND e.evicted_at > c.now_ms - ${forcedMemoryMs}
    AND e.fencing_token = coalesce(${rider.fencingToken}, (SELECT max(later.fencing_token) FROM lock_events later
      WHERE later.resource = e.resource AND later.owner = e.owner AND ${sameClient('later', rider.client)}
        AND later.kind IN ('acquired', 'reacquired', 'claimed')))`;
  // In the change of the row itself, so that of all instances one is told that the history is due.
  const isDue = `max(l.acquired_at, coalesce(l.renewals_told_at, 0)) <= c.now_ms - ${String(renewalsToldEveryMs)}`;
  const told = `CASE WHEN l.renewals_told_at > l.acquired_at THEN l.renewals_told ELSE 0 END`;
  return parts.verb(
    renewFields,
    `UPDATE distributed_locks AS l SET
       expires_at = max(l.expires_at, c.now_ms + ${rider.ttlMs}), renewed_at = c.now_ms,
       renew_count = l.renew_count + 1, ttl_ms = ${rider.ttlMs}, change_id = i.change_id, change_kind = 'renewed',
       change_at = c.now_ms, change_held_ms = CASE WHEN ${isDue} THEN l.renew_count + 1 - ${told} END,
       renewals_told = CASE WHEN ${isDue} THEN l.renew_count + 1 ELSE l.renewals_told END,
       renewals_told_at = CASE WHEN ${isDue} THEN c.now_ms ELSE l.renewals_told_at END
     ${parts.ridersToUpdate}
     WHERE l.resource = ${rider.resource} AND ${own} AND l.expires_at > c.now_ms`,
    // The first renew of an evicted owner is noted, and by the next statement only the first.
    `INSERT INTO lock_events (at, kind, resource, owner, fencing_token, client, request_id)
     SELECT c.now_ms, 'noticed', e.resource, e.owner, e.fencing_token, e.client, ${rider.requestId}
     ${parts.ridersAndRows} CROSS JOIN evicted_leases e ON ${isEvicted} AND e.noticed_at IS NULL
     WHERE ${notOwn}`,
    `UPDATE evicted_leases SET noticed_at = (SELECT now_ms FROM clock)
     WHERE noticed_at IS NULL AND fencing_token IN (
       SELECT e.fencing_token ${parts.ridersAndRows} CROSS JOIN evicted_leases e ON ${isEvicted} WHERE ${notOwn})`,
    // Reports, in one row: now, and for each rider its lease, or how it stands and which person ended it.
    `SELECT (SELECT now_ms FROM clock), json_group_array(CASE
       WHEN ${parts.changed} THEN json_array(r.key, 'renewed', ${leaseJson}, l.change_held_ms)
       WHEN ${own} THEN json_array(r.key, 'expired')
       ELSE json_array(r.key, CASE WHEN l.id IS NULL THEN 'not-found' ELSE 'lost' END,
         json((SELECT json_array(e.evicted_by, e.reason, e.evicted_at) FROM evicted_leases e WHERE ${isEvicted}
          ORDER BY e.fencing_token DESC LIMIT 1))) END)
     ${parts.ridersAndRows}`,
  );
}

export type RenewalStatements = VerbStatements<(typeof renewalFields)[number]>;

/** Tells the history of renewals, as the rows have decided. Nobody waits for it. */
export function noteRenewalsStatements(parts: StatementParts): RenewalStatements {
  const rider = riderOf(renewalFields);
  return parts.verb(
    renewalFields,
    `INSERT INTO lock_events (at, kind, resource, owner, client, fencing_token, count, expires_at, held_ms)
     SELECT ${rider.atMs}, 'renewed', ${rider.resource}, ${rider.owner}, ${rider.client}, ${rider.fencingToken},
       ${rider.count}, ${rider.expiresAtMs}, ${rider.heldMs} ${parts.riders}`,
  );
}

/** Where the report stands among the statements of a release: before its last, which removes the rows. */
export const releaseReport = 2;

/** Decides a group of releases: marks what each caller still holds. Late, twice or by another: no row is marked. */
export function releaseStatements(parts: StatementParts): ReleaseStatements {
  const rider = riderOf(releaseFields);
  const own = ownLease(rider);
  return parts.verb(
    releaseFields,
    `UPDATE distributed_locks AS l SET
       change_id = i.change_id, change_kind = 'released', change_at = c.now_ms, change_previous_owner = NULL,
       change_held_ms = max(0, c.now_ms - l.acquired_at)
     ${parts.ridersToUpdate}
     WHERE l.resource = ${rider.resource} AND ${own} AND l.expires_at > c.now_ms`,
    parts.writeEvents(['released'], { actor: null, reason: null, requestId: rider.requestId }),
    `SELECT (SELECT now_ms FROM clock), json_group_array(json_array(r.key, CASE
       WHEN l.id IS NULL THEN 'not-found'
       WHEN ${parts.changed} THEN 'released'
       WHEN ${own} THEN 'expired'
       ELSE 'not-owner' END))
     ${parts.ridersAndRows}`,
    `DELETE FROM distributed_locks WHERE id IN (SELECT l.id ${parts.ridersWithRows} WHERE ${parts.changed})`,
  );
}

/** One row: now, the resource's row or null, and who asks for it or null. */
export function inspectStatement(clock: string, resource: string): Statement {
  return {
    sql: `WITH clock(now_ms) AS MATERIALIZED (SELECT ${clock})
      SELECT c.now_ms, CASE WHEN l.id IS NOT NULL THEN ${leaseJson} END, ${contentionJson('c.now_ms')}
      FROM clock c LEFT JOIN distributed_locks l ON l.resource = ?`,
    values: [resource],
  };
}
