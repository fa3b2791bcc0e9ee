import { z } from 'zod';

import { contentionLimits } from '../../locks/contention';
import { silentGapMsMin } from '../../locks/lease';
import type { ListQuery } from '../../locks/lock-store';
import { listWithCounts } from '../list-page';
import { listParts, type Counted, type ListDialect } from '../list-parts';
import type { LockReads } from '../lock-reads';
import { eventsPage } from '../events-page';
import { asker, listCounts, parseEndedReport, parseEventsBranches, seenLease } from '../reports';
import type { PostgresDatabase } from './database';
import { readFeed, readTally } from './feed';
import { readEventsSql } from './statements';
import { assertPrimary } from './server-check';
import { readLockUsage, readUsage } from './usage';

/** @param monotonicMs this process's monotonic clock. */
export function createReads(database: PostgresDatabase, monotonicMs: () => number): LockReads {
  return {
    async inspect(resource) {
      const readAtMs = monotonicMs();
      const report = await database.value(inspectStatement, [resource]);
      const [isReplica, nowMs, found] = inspected.parse(report);
      assertPrimary(isReplica);
      return { outcome: found, nowMs, readAtMs };
    },

    list: listWithCounts({
      monotonicMs,
      run: listWith((sql, values) => database.readValue(sql, values)),
      runBeside: listWith((sql, values) => database.readValueBeside(sql, values)),
    }),

    lockUsage: (query) => readLockUsage(database, monotonicMs, query),
    usage: (query) => readUsage(database, monotonicMs, query),

    async askers(resource) {
      const readAtMs = monotonicMs();
      const [isReplica, nowMs, found] = askersRead.parse(
        await database.value(askersStatement, [resource, askersShownMax]),
      );
      assertPrimary(isReplica);
      return { outcome: found, nowMs, readAtMs };
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

const leaseJson = 'holdfast_lease(l)';

const { askersShownMax } = contentionLimits;
const asking = `interval '${String(contentionLimits.askingMs)} milliseconds'`;

/** Whether this is a replica, now, and the resource's row with who asks for it, or null. */
const inspectStatement = `WITH clock(now_at) AS MATERIALIZED (SELECT holdfast_now())
  SELECT json_build_array(pg_is_in_recovery(), holdfast_ms(c.now_at),
    (SELECT json_build_array(${leaseJson}, holdfast_contention(l, c.now_at - ${asking}))
      FROM distributed_locks l WHERE l.resource = $1))
  FROM clock c`;

/** Whether this is a replica, now, and who asks for a resource, the longest first. Its own holder asks no more. */
const askersStatement = `WITH clock(now_at) AS MATERIALIZED (SELECT holdfast_now())
  SELECT json_build_array(pg_is_in_recovery(), (SELECT holdfast_ms(now_at) FROM clock), coalesce((
    SELECT json_agg(page.asker) FROM (
      SELECT json_build_array(a.owner, nullif(a.client, ''), a.attempts, holdfast_ms(a.first_at), holdfast_ms(a.last_at))
        AS asker
      FROM lock_askers a LEFT JOIN distributed_locks l ON l.resource = a.resource
      WHERE a.resource = $1 AND a.last_at > (SELECT now_at FROM clock) - ${asking}
        AND NOT (l.id IS NOT NULL AND a.owner = l.owner AND a.client = coalesce(l.client, ''))
      ORDER BY a.first_at, a.owner, a.client LIMIT $2) page), '[]'))`;

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
const inspected = z.tuple([z.boolean(), whole, seenLease.nullable()]);
const askersRead = z.tuple([z.boolean(), whole, z.array(asker)]);

const now = '(SELECT now_at FROM clock)';

const dialect: ListDialect = {
  now,
  ms: (time) => `holdfast_ms(${time})`,
  isNearEnd: `(l.expires_at - ${now}) * 5 < holdfast_span(l.ttl_ms)`,
  silentBefore: `${now} - interval '${String(2 * silentGapMsMin)} milliseconds'`,
  unindexed: (column) => column,
  time: (bound) => `('epoch'::timestamptz + holdfast_span(${bound}))`,
  greatest: (one, other) => `greatest(${one}, ${other})`,
  positionIn: (column, text) => `strpos(${column}, ${text})`,
  bound: (place) => `$${String(place)}`,
  leaseJson,
  contentionJson: `holdfast_contention(l, ${now} - ${asking})`,
  pageOf: (columns, rows, order, limit) => `SELECT ${columns} ${rows} ${order} ${limit}`,
  askingSince: `${now} - ${asking}`,
};

/** Whether this is a replica, now, the counts, and the page, all as of one reading of the clock. */
function listStatement(
  query: ListQuery,
  counted: Counted,
): { sql: string; values: readonly (string | number)[] } {
  const { page, matching, counts, values } = listParts(query, dialect, counted);
  const sql = `WITH clock(now_at) AS MATERIALIZED (SELECT holdfast_now()), matching AS NOT MATERIALIZED (${matching}),
    counts AS (${counts}), page AS (${page})
    SELECT json_build_array(pg_is_in_recovery(), holdfast_ms(${now}),
      (SELECT json_build_array(active, expired, expiring, silent, closed, asked) FROM counts),
      coalesce((SELECT json_agg(json_build_array(page.lease, page.contention)) FROM page), '[]'))`;
  return { sql, values };
}

/** @param read runs one statement that answers one value. */
function listWith(read: PostgresDatabase['readValue']) {
  return async (query: ListQuery, counted: Counted) => {
    const { sql, values } = listStatement(query, counted);
    const [isReplica, nowMs, counts, leases] = listed.parse(await read(sql, values));
    assertPrimary(isReplica);
    return { nowMs, counts, leases };
  };
}

const listed = z.tuple([z.boolean(), whole, listCounts, z.array(seenLease)]);
