import { contentionLimits } from '../../../locks/contention';
import { silentGapMsMin } from '../../../locks/lease';
import type { ListQuery } from '../../../locks/lock-store';
import { listParts, type Counted, type ListDialect } from '../../list-parts';
import type { Statement } from '../lock-file';
import { contentionJson } from './contention';
import { leaseJson } from './parts';

// A subquery, not a table to join: with one the planner no longer trusts the index's order.
const now = '(SELECT now_ms FROM clock)';

const dialect: ListDialect = {
  now,
  ms: (time) => time,
  time: (bound) => bound,
  isNearEnd: `(l.expires_at - ${now}) * 5 < l.ttl_ms`,
  silentBefore: `${now} - ${String(2 * silentGapMsMin)}`,
  unindexed: (column) => `+${column}`,
  greatest: (one, other) => `max(${one}, ${other})`,
  positionIn: (column, text) => `instr(${column}, ${text})`,
  // The values stand in the order of their places.
  bound: () => '?',
  leaseJson,
  contentionJson: contentionJson(now),
  // Otherwise the columns are made of each row before it is sorted. A cross join keeps the order of its left side.
  pageOf: (columns, rows, order, limit) =>
    `WITH found AS MATERIALIZED (SELECT l.id ${rows} ${order} ${limit})
      SELECT ${columns} FROM found CROSS JOIN distributed_locks l ON l.id = found.id`,
  askingSince: `${now} - ${String(contentionLimits.askingMs)}`,
};

/**
 * One page and the counts, all as of one reading of the clock.
 *
 * One row: now, the counts, and the leases with who asks for them as a JSON array. The columns' collation is
 * BINARY.
 */
export function listStatement(query: ListQuery, clock: string, counted: Counted): Statement {
  const { page, matching, counts, values } = listParts(query, dialect, counted);
  return {
    sql: `WITH clock(now_ms) AS MATERIALIZED (SELECT ${clock}), matching AS NOT MATERIALIZED (${matching}),
      counts AS (${counts}), page AS (${page})
      SELECT ${now}, counts.*, (SELECT json_group_array(json_array(json(lease), json(contention))) FROM page)
      FROM counts`,
    values,
  };
}
