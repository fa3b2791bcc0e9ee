import type { LockUsageQuery, UsageQuery } from '../../../locks/usage';
import { notableSql, usageEventJson } from '../../usage-parts';
import type { Statement } from '../lock-file';

/** One row: now, and the newest events of a resource as a JSON array. */
export function lockUsageStatement(clock: string, query: LockUsageQuery): Statement {
  return {
    sql: `SELECT ${clock}, (SELECT json_group_array(json(event)) FROM (
      SELECT json_array(newest.at, newest.kind, newest.held_ms, newest.count, newest.fencing_token) AS event FROM (
        SELECT * FROM lock_events WHERE resource = ? ORDER BY id DESC LIMIT ?) newest WHERE newest.at >= ?))`,
    values: [query.resource, query.limit, query.sinceMs],
  };
}

const eventJson = usageEventJson({ ms: (time) => time, jsonArray: 'json_array' });

/** One row: now, and the spans and the notable events as one JSON array. */
export function usageStatement(clock: string, query: UsageQuery): Statement {
  const bounds = { since: '(SELECT since FROM input)', until: '(SELECT until FROM input)' };
  const within = 'e.at >= s.value ->> 0 AND e.at < s.value ->> 1';
  const end = (direction: string) =>
    `(SELECT e.id FROM lock_events e WHERE ${within} ORDER BY e.at ${direction}, e.id ${direction} LIMIT 1)`;
  return {
    sql: `WITH input(spans, sample_max, notable_max, since, until) AS MATERIALIZED (SELECT ?, ?, ?, ?, ?)
      SELECT ${clock}, json_array(
        (SELECT json_group_array(json_array(${end('DESC')} - ${end('ASC')} + 1, (
          SELECT json_group_array(json(event)) FROM (SELECT ${eventJson} AS event FROM lock_events e
            WHERE ${within} ORDER BY e.at, e.id LIMIT (SELECT sample_max FROM input)))))
          FROM json_each((SELECT spans FROM input)) s),
        (SELECT json_group_array(json(event)) FROM (
          ${notableSql({ ...bounds, max: '(SELECT notable_max FROM input)' }, eventJson)})))`,
    values: [
      JSON.stringify(query.spans.map(({ sinceMs, untilMs }) => [sinceMs, untilMs])),
      query.sampleMax,
      query.notableMax,
      query.spans[0]?.sinceMs ?? 0,
      query.spans.at(-1)?.untilMs ?? 0,
    ],
  };
}
