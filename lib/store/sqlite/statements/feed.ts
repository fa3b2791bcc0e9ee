import type { FeedQuery, TallyQuery } from '../../../locks/event-feed';
import { eventJson } from '../../event-parts';
import { isOrigin } from '../../feed-rows';
import type { Statement } from '../lock-file';
import { eventsDialect } from './events';

/** SQLite has one writer, so ids are in the order of the commits, and all events count as of transaction 0. */

const feedJson = eventsDialect.array('0', eventJson(eventsDialect));

/** One row: whether the place is known, and the events as a JSON array in the order of the feed, or from its end. */
export function feedStatement({ after, limit }: FeedQuery): Statement {
  if (after === null) {
    return {
      sql: `SELECT 1, json_group_array(json(page.event)) FROM (
        SELECT ${feedJson} AS event FROM lock_events e ORDER BY e.id DESC LIMIT ?) page`,
      values: [limit],
    };
  }
  // The place before the first event is known for as long as that event is there.
  const isKnown = isOrigin(after)
    ? 'SELECT coalesce(min(e.id), 1) = 1 FROM lock_events e WHERE ? = 0'
    : 'SELECT count(*) FROM lock_events e WHERE e.id = ?';
  return {
    sql: `SELECT (${isKnown}) AND ?, json_group_array(json(page.event)) FROM (
      SELECT ${feedJson} AS event FROM lock_events e WHERE e.id > ? ORDER BY e.id LIMIT ?) page`,
    // A place in another store's order is none here.
    values: [after.id, after.transaction === 0 ? 1 : 0, after.id, limit],
  };
}

/** One row: the last id that was counted or null, and a count for each kind as a JSON array. */
export function tallyStatement({ after, limit }: TallyQuery): Statement {
  return {
    sql: `WITH page AS MATERIALIZED (
        SELECT e.id, e.kind FROM lock_events e WHERE e.id > ? ORDER BY e.id LIMIT ?),
      counted AS (SELECT page.kind, count(*) AS events FROM page GROUP BY page.kind)
      SELECT (SELECT max(page.id) FROM page),
        (SELECT json_group_array(json_array(counted.kind, counted.events)) FROM counted)`,
    values: [after.id, limit],
  };
}
