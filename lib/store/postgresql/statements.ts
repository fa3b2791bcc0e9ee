import type { EventsQuery } from '../../locks/trail';
import { eventsStatement, type EventsDialect } from '../event-parts';

export const eventsDialect: EventsDialect = {
  bound: (place) => `$${String(place)}`,
  ms: (time) => `holdfast_ms(${time})`,
  time: (bound) => `('epoch'::timestamptz + holdfast_span(${bound}))`,
  array: (...expressions) => `json_build_array(${expressions.join(', ')})`,
  json: (expression) => expression,
  gather: (subquery) => `(SELECT coalesce(json_agg(p.event), '[]') FROM (${subquery}) p)`,
};

/** One row with one column: see `eventsStatement`. */
export function readEventsSql(query: EventsQuery): {
  sql: string;
  values: readonly (string | number)[];
} {
  return eventsStatement(query, eventsDialect);
}
