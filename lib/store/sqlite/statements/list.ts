import type { ListQuery } from '../../../locks/lock-store';
import { listParts, type ListDialect } from '../../list-parts';
import type { Statement } from '../lock-file';
import { leaseJson } from './parts';

const dialect: ListDialect = {
  // A subquery, not a table to join: with one the planner no longer trusts the index's order.
  now: '(SELECT now_ms FROM clock)',
  ms: (time) => time,
  time: (bound) => bound,
  greatest: (one, other) => `max(${one}, ${other})`,
  positionIn: (column, text) => `instr(${column}, ${text})`,
  // The values stand in the order of their places.
  bound: () => '?',
  leaseJson,
};

/**
 * One page and the counts, all as of one reading of the clock.
 *
 * One row: now, active, expired, expiring, silent, closed, and the leases as a JSON array. The columns' collation is
 * BINARY.
 */
export function listStatement(query: ListQuery, clock: string): Statement {
  const { page, counts, values } = listParts(query, dialect);
  return {
    sql: `WITH clock(now_ms) AS MATERIALIZED (SELECT ${clock}), counts AS (${counts}), page AS (${page})
      SELECT ${dialect.now}, counts.*, (SELECT json_group_array(json(lease)) FROM page) FROM counts`,
    values,
  };
}
