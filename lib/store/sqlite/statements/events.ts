import type { EventsQuery } from '../../../locks/trail';
import { eventsStatement, type EventsDialect } from '../../event-parts';
import type { Statement } from '../lock-file';

export const eventsDialect: EventsDialect = {
  // The values stand in the order of their places.
  bound: () => '?',
  ms: (time) => time,
  time: (bound) => bound,
  array: (...expressions) => `json_array(${expressions.join(', ')})`,
  json: (expression) => `json(${expression})`,
  gather: (subquery) => `(SELECT json_group_array(json(p.event)) FROM (${subquery}) p)`,
};

/** One row with one column: see `eventsStatement`. */
export function readEventsStatement(query: EventsQuery): Statement {
  return eventsStatement(query, eventsDialect);
}
