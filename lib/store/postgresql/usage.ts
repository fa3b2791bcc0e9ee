import { notableSql, usageEventJson } from '../usage-parts';

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
