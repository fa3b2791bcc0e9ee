import { z } from 'zod';

import { StoreUnavailable } from '../../locks/errors';
import { contentionLimits } from '../../locks/contention';
import { silentGapMsMin } from '../../locks/lease';
import type { ListQuery } from '../../locks/lock-store';
import { listWithCounts } from '../list-page';
import { listParts, type ListDialect } from '../list-parts';
import type { LockReads } from '../lock-reads';
import { eventsPage } from '../events-page';
import { asker, eventRow, listCounts, lockUsageEvents, seenLease, usageFound } from '../reports';
import type { PostgresDatabase } from './database';
import { lockUsageStatement, usageStatement } from './usage';

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

    list: listWithCounts(monotonicMs, async (query, hasConditions) => {
      const { sql, values } = listStatement(query, hasConditions);
      const [isReplica, nowMs, counts, leases] = listed.parse(
        await database.readValue(sql, values),
      );
      assertPrimary(isReplica);
      return { nowMs, counts, leases };
    }),

    async lockUsage({ resource, limit, sinceMs }) {
      const readAtMs = monotonicMs();
      const report = await database.readValue(lockUsageStatement, [resource, limit, sinceMs]);
      const [isReplica, nowMs, found] = z
        .tuple([z.boolean(), whole, lockUsageEvents])
        .parse(report);
      assertPrimary(isReplica);
      return { outcome: found, nowMs, readAtMs };
    },

    async usage({ spans, sampleMax, notableMax }) {
      const readAtMs = monotonicMs();
      const report = await database.readValue(usageStatement, [
        spans.map(({ sinceMs }) => sinceMs),
        spans.map(({ untilMs }) => untilMs),
        sampleMax,
        notableMax,
        spans[0]?.sinceMs ?? 0,
        spans.at(-1)?.untilMs ?? 0,
      ]);
      const [isReplica, nowMs, found] = z.tuple([z.boolean(), whole, usageFound]).parse(report);
      assertPrimary(isReplica);
      return { outcome: found, nowMs, readAtMs };
    },

    async askers(resource) {
      const readAtMs = monotonicMs();
      const [isReplica, nowMs, found] = askersRead.parse(
        await database.value(askersStatement, [resource, askersShownMax]),
      );
      assertPrimary(isReplica);
      return { outcome: found, nowMs, readAtMs };
    },

    async events({ resource, limit, beforeId }) {
      const found = await database.readValue(eventsStatement, [resource, beforeId, limit + 1]);
      return eventsPage(z.array(eventRow).parse(found), limit);
    },
  };
}

/** What a replica tells is what was, and it cannot say how long ago. */
function assertPrimary(isReplica: boolean): void {
  if (isReplica) throw new StoreUnavailable('PostgreSQL is a replica');
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
  askingSince: `${now} - ${asking}`,
};

/** Whether this is a replica, now, the counts, and the page, all as of one reading of the clock. */
function listStatement(
  query: ListQuery,
  hasConditions: boolean,
): { sql: string; values: readonly (string | number)[] } {
  const { page, matching, counts, values } = listParts(query, dialect, hasConditions);
  const sql = `WITH clock(now_at) AS MATERIALIZED (SELECT holdfast_now()), matching AS NOT MATERIALIZED (${matching}),
    counts AS (${counts}), page AS (${page})
    SELECT json_build_array(pg_is_in_recovery(), holdfast_ms(${now}),
      (SELECT json_build_array(active, expired, expiring, silent, closed, asked) FROM counts),
      coalesce((SELECT json_agg(json_build_array(page.lease, page.contention)) FROM page), '[]'))`;
  return { sql, values };
}

const listed = z.tuple([z.boolean(), whole, listCounts, z.array(seenLease)]);
