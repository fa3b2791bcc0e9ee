import { z } from 'zod';

import { StoreUnavailable } from '../../locks/errors';
import type { ListQuery } from '../../locks/lock-store';
import { pageOf } from '../list-page';
import { listParts, type ListDialect } from '../list-parts';
import type { LockReads } from '../lock-reads';
import { eventsPage } from '../events-page';
import { leaseRow, parseEndedReport, parseEventsBranches } from '../reports';
import type { PostgresDatabase } from './database';
import { readEventsSql } from './statements';
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

    async events(query) {
      const { sql, values } = readEventsSql(query);
      return eventsPage(query, parseEventsBranches(await database.readValue(sql, values)));
    },

    async endedLeases({ sinceMs, limit }) {
      const readAtMs = monotonicMs();
      const { nowMs, entries } = parseEndedReport(
        await database.readValue(endedStatement, [sinceMs, limit]),
      );
      return { outcome: entries, nowMs, readAtMs };
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

/** Now, and the resources and tokens. The clock is read once: a function that may change its mind can't bound an index. */
const endedStatement = `WITH clock(now_at) AS MATERIALIZED (SELECT holdfast_now())
  SELECT json_build_array(holdfast_ms((SELECT now_at FROM clock)),
    coalesce(json_agg(json_build_array(found.resource, found.fencing_token)), '[]')) FROM (
    SELECT l.resource, l.fencing_token FROM distributed_locks l
    WHERE l.expires_at <= (SELECT now_at FROM clock)
      AND l.expires_at > coalesce('epoch'::timestamptz + holdfast_span($1), '-infinity')
      AND l.expiry_noted IS DISTINCT FROM l.fencing_token
    ORDER BY l.expires_at, l.id LIMIT $2) found`;

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
