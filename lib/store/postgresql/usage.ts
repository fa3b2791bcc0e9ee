import { z } from 'zod';

import type { Dated } from '../../locks/lock-store';
import type { LeaseEvent, LockUsageQuery, Usage, UsageQuery } from '../../locks/usage';
import { lockUsageEvents, parseUsage } from '../reports';
import { notableSql, usageEventJson } from '../usage-parts';
import type { PostgresDatabase } from './database';
import { assertPrimary } from './server-check';

/** What the history tells of usage, each as one statement that answers whether this is a replica, now, and what it found. */

const at = (bound: string) => `('epoch'::timestamptz + holdfast_span(${bound}))`;

/** $1 resource, $2 the most events, $3 since when. */
export const lockUsageStatement = `SELECT json_build_array(pg_is_in_recovery(), holdfast_ms(holdfast_now()), coalesce((
  SELECT json_agg(json_build_array(holdfast_ms(e.at), e.kind, e.held_ms, e.count, e.fencing_token) ORDER BY e.id DESC)
  FROM (SELECT * FROM lock_events WHERE resource = $1 ORDER BY id DESC LIMIT $2) e WHERE e.at >= ${at('$3')}), '[]'))`;

const eventJson = usageEventJson({
  ms: (time) => `holdfast_ms(${time})`,
  jsonArray: 'json_build_array',
});
const within = `e.at >= ${at('s.since_ms')} AND e.at < ${at('s.until_ms')}`;
const end = (direction: string) =>
  `(SELECT e.id FROM lock_events e WHERE ${within} ORDER BY e.at ${direction}, e.id ${direction} LIMIT 1)`;

/** $1 and $2 the ends of the spans, $3 and $4 the most events of each and of each notable kind, $5 and $6 the ends of all. */
export const usageStatement = `SELECT json_build_array(pg_is_in_recovery(), holdfast_ms(holdfast_now()), json_build_array(
  (SELECT coalesce(json_agg(json_build_array(${end('DESC')} - ${end('ASC')} + 1, (
    SELECT coalesce(json_agg(event), '[]') FROM (SELECT ${eventJson} AS event FROM lock_events e
      WHERE ${within} ORDER BY e.at, e.id LIMIT $3) sample)) ORDER BY s.place), '[]')
    FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS s(since_ms, until_ms, place)),
  (SELECT coalesce(json_agg(event), '[]') FROM (
    ${notableSql({ since: at('$5'), until: at('$6'), max: '$4' }, eventJson)}) notable)))`;

export async function readLockUsage(
  database: PostgresDatabase,
  monotonicMs: () => number,
  { resource, limit, sinceMs }: LockUsageQuery,
): Promise<Dated<readonly LeaseEvent[]>> {
  const readAtMs = monotonicMs();
  const report = await database.readValue(lockUsageStatement, [resource, limit, sinceMs]);
  const { nowMs, found } = parseReport(report);
  return { outcome: lockUsageEvents.parse(found), nowMs, readAtMs };
}

export async function readUsage(
  database: PostgresDatabase,
  monotonicMs: () => number,
  query: UsageQuery,
): Promise<Dated<Usage>> {
  const { spans, sampleMax, notableMax } = query;
  const readAtMs = monotonicMs();
  const report = await database.readValue(usageStatement, [
    spans.map(({ sinceMs }) => sinceMs),
    spans.map(({ untilMs }) => untilMs),
    sampleMax,
    notableMax,
    spans[0]?.sinceMs ?? 0,
    spans.at(-1)?.untilMs ?? 0,
  ]);
  const { nowMs, found } = parseReport(report);
  return { outcome: parseUsage(found, query), nowMs, readAtMs };
}

const reported = z.tuple([z.boolean(), z.int(), z.unknown()]);

function parseReport(report: unknown): { nowMs: number; found: unknown } {
  const [isReplica, nowMs, found] = reported.parse(report);
  assertPrimary(isReplica);
  return { nowMs, found };
}
