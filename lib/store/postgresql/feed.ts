import { z } from 'zod';

import type { FeedPage, FeedQuery, FeedTally, TallyQuery } from '../../locks/event-feed';
import { eventJson } from '../event-parts';
import { parseFeed, parseTally } from '../feed-rows';
import type { PostgresDatabase } from './database';
import { eventsDialect } from './statements';

/**
 * Reads only what was written by transactions below the snapshot's xmin: each of them has ended, so nothing can appear
 * any more before a place that was read, in whatever order ids were drawn and transactions committed.
 */
const settled = `settled(xmin) AS MATERIALIZED (SELECT pg_snapshot_xmin(pg_current_snapshot()))`;

const feedJson = eventsDialect.array('e.xid::text::bigint', eventJson(eventsDialect));

/** For how long the oldest event that others can see already has had no certain place. */
const lagMs = `coalesce((SELECT greatest(0, holdfast_ms(holdfast_now()) - holdfast_ms(e.at))
  FROM lock_events e, settled s WHERE e.xid >= s.xmin ORDER BY e.xid, e.id LIMIT 1), 0)`;

/** The place before the first event is known for as long as that event is there. */
const isKnown = `($1::text = '0' AND $2::bigint = 0 AND coalesce((SELECT min(e.id) FROM lock_events e), 1) = 1)
  OR EXISTS (SELECT 1 FROM lock_events e WHERE e.id = $2::bigint AND e.xid = $1::text::xid8)`;

const afterStatement = `WITH ${settled}, page AS (
  SELECT ${feedJson} AS event, e.xid, e.id FROM lock_events e, settled s
  WHERE (e.xid, e.id) > ($1::text::xid8, $2::bigint) AND e.xid < s.xmin ORDER BY e.xid, e.id LIMIT $3)
SELECT json_build_array(${isKnown}, ${lagMs},
  coalesce((SELECT json_agg(page.event ORDER BY page.xid, page.id) FROM page), '[]'))`;

const newestStatement = `WITH ${settled}, page AS (
  SELECT ${feedJson} AS event, e.xid, e.id FROM lock_events e, settled s
  WHERE e.xid < s.xmin ORDER BY e.xid DESC, e.id DESC LIMIT $1)
SELECT json_build_array(true, ${lagMs},
  coalesce((SELECT json_agg(page.event ORDER BY page.xid DESC, page.id DESC) FROM page), '[]'))`;

const tallyStatement = `WITH ${settled}, page AS (
  SELECT e.kind, e.xid, e.id FROM lock_events e, settled s
  WHERE (e.xid, e.id) > ($1::text::xid8, $2::bigint) AND e.xid < s.xmin ORDER BY e.xid, e.id LIMIT $3)
SELECT json_build_array(${lagMs},
  (SELECT json_build_array(page.xid::text::bigint, page.id) FROM page ORDER BY page.xid DESC, page.id DESC LIMIT 1),
  coalesce((SELECT json_agg(json_build_array(counted.kind, counted.events))
    FROM (SELECT page.kind, count(*) AS events FROM page GROUP BY page.kind) counted), '[]'))`;

export async function readFeed(database: PostgresDatabase, query: FeedQuery): Promise<FeedPage> {
  const { after, limit } = query;
  const found =
    after === null
      ? database.readValue(newestStatement, [limit])
      : database.readValue(afterStatement, [String(after.transaction), after.id, limit]);
  return parseFeed(await found, query);
}

export async function readTally(database: PostgresDatabase, query: TallyQuery): Promise<FeedTally> {
  const { after, limit } = query;
  const values = [String(after.transaction), after.id, limit];
  return parseTally(await database.readValue(tallyStatement, values), query);
}

const isFromElsewhere = `xid >= pg_snapshot_xmax(pg_current_snapshot())`;

/**
 * A restored dump carries transactions of another server, which may be larger than any of this one: they would stand in
 * the way of all that comes. They become the oldest, and whoever comes back with one of their places starts anew.
 */
export async function settleRestored(database: PostgresDatabase): Promise<void> {
  const found = await database.value(
    `SELECT EXISTS (SELECT 1 FROM lock_events WHERE ${isFromElsewhere})`,
    [],
  );
  if (!z.boolean().parse(found)) return;
  await database.value(
    `WITH settled AS (UPDATE lock_events SET xid = '0' WHERE ${isFromElsewhere} RETURNING 1)
     SELECT count(*) FROM settled`,
    [],
  );
}
