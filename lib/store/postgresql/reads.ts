import { z } from 'zod';

import { StoreUnavailable } from '../../locks/errors';
import type { ListQuery } from '../../locks/lock-store';
import { pageOf } from '../list-page';
import { listParts, type ListDialect } from '../list-parts';
import type { LockReads } from '../lock-reads';
import { eventsPage } from '../events-page';
import { eventRow, leaseRow } from '../reports';
import type { PostgresDatabase } from './database';
import { readFeed, readTally } from './feed';

/** @param monotonicMs this process's monotonic clock. */
export function createReads(database: PostgresDatabase, monotonicMs: () => number): LockReads {
  return {
    async inspect(resource) {
      const readAtMs = monotonicMs();
      const report = await database.value(inspectStatement, [resource]);
      const [isReplica, nowMs, lease] = inspected.parse(report);
      assertPrimary(isReplica);
      return { outcome: lease, nowMs, readAtMs };
    },

    async list(query) {
      const readAtMs = monotonicMs();
      const { sql, values } = listStatement(query);
      const [isReplica, nowMs, counts, leases] = listed.parse(
        await database.readValue(sql, values),
      );
      assertPrimary(isReplica);
      const [active, expired, expiring, silent, closed] = counts;
      const found = { leases, counts: { active, expired, expiring, silent, closed } };
      return { outcome: pageOf(query, found), nowMs, readAtMs };
    },

    async events({ resource, limit, beforeId }) {
      const found = await database.readValue(eventsStatement, [resource, beforeId, limit + 1]);
      return eventsPage(z.array(eventRow).parse(found), limit);
    },

    feed: (query) => readFeed(database, query),
    tally: (query) => readTally(database, query),
  };
}

/** What a replica tells is what was, and it cannot say how long ago. */
function assertPrimary(isReplica: boolean): void {
  if (isReplica) throw new StoreUnavailable('PostgreSQL is a replica');
}

const leaseJson = 'holdfast_lease(l)';

/** Whether this is a replica, now, and the resource's row or null. */
const inspectStatement = `SELECT json_build_array(pg_is_in_recovery(), holdfast_ms(holdfast_now()),
  (SELECT ${leaseJson} FROM distributed_locks l WHERE l.resource = $1))`;

/**
 * The newest events of a resource as a JSON array. Not through the Prisma client: its adapter reads times as text, in
 * whatever style the database writes dates.
 */
const eventsStatement = `SELECT coalesce(json_agg(page.event), '[]') FROM (
  SELECT json_build_array(e.id, holdfast_ms(e.at), e.kind, e.resource, e.owner, e.fencing_token,
    holdfast_ms(e.expires_at), e.previous_owner, e.client, e.actor, e.reason, e.count, e.held_ms, e.request_id, e.subject)
    AS event
  FROM lock_events e WHERE e.resource = $1 AND ($2::bigint IS NULL OR e.id < $2) ORDER BY e.id DESC LIMIT $3) page`;

const whole = z.int();
const inspected = z.tuple([z.boolean(), whole, leaseRow.nullable()]);

const dialect: ListDialect = {
  now: '(SELECT now_at FROM clock)',
  ms: (time) => `holdfast_ms(${time})`,
  time: (bound) => `('epoch'::timestamptz + holdfast_span(${bound}))`,
  greatest: (one, other) => `greatest(${one}, ${other})`,
  positionIn: (column, text) => `strpos(${column}, ${text})`,
  bound: (place) => `$${String(place)}`,
  leaseJson,
};

/** Whether this is a replica, now, the counts, and the page, all as of one reading of the clock. */
function listStatement(query: ListQuery): { sql: string; values: readonly (string | number)[] } {
  const { page, counts, values } = listParts(query, dialect);
  const sql = `WITH clock(now_at) AS MATERIALIZED (SELECT holdfast_now()), counts AS (${counts}), page AS (${page})
    SELECT json_build_array(pg_is_in_recovery(), holdfast_ms(${dialect.now}),
      (SELECT json_build_array(counts.count_0, counts.count_1, counts.count_2, counts.count_3, counts.count_4)
        FROM counts),
      coalesce((SELECT json_agg(page.lease) FROM page), '[]'))`;
  return { sql, values };
}

const listed = z.tuple([
  z.boolean(),
  whole,
  z.tuple([whole, whole, whole, whole, whole]),
  z.array(leaseRow),
]);
