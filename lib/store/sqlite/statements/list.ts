import { silentGapMsMin, type LeaseCondition } from '../../../locks/lease';
import { limits } from '../../../locks/limits';
import type { ListFilter, ListQuery, ListSortField } from '../../../locks/lock-store';
import type { ResourcePattern } from '../../../locks/patterns';
import type { SqlValue, Statement } from '../lock-file';
import { leaseJson } from './parts';

/** SQL made from a list's filters. Column and direction come from closed sets; every value is bound. */

interface Condition {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** A subquery, not a table to join: with one the planner no longer trusts the index's order. */
const now = '(SELECT now_ms FROM clock)';

const isActive = `l.expires_at > ${now}`;
const isExpired = `l.expires_at <= ${now}`;
const isClosed = `(${isActive} AND l.hold_name IS NOT NULL)`;
const seemsSilent = `(l.renew_count > 0 AND l.renewed_at IS NOT NULL AND (${now} - l.renewed_at) * l.renew_count
  > 2 * max(l.renewed_at - l.acquired_at, ${String(silentGapMsMin)} * l.renew_count))`;
const isSilent = `(${isActive} AND l.hold_name IS NULL AND ${seemsSilent})`;
const isExpiring = `(${isActive} AND l.hold_name IS NULL AND NOT ${seemsSilent}
  AND (l.expires_at - ${now}) * 5 < l.ttl_ms)`;

const byCondition: Readonly<Record<LeaseCondition, string>> = {
  expiring: isExpiring,
  silent: isSilent,
  closed: isClosed,
};

const byState: Readonly<Record<ListQuery['state'], string | null>> = {
  active: isActive,
  expired: isExpired,
  all: null,
};

const columnOf: Readonly<Record<ListSortField, string>> = {
  resource: 'l.resource',
  owner: 'l.owner',
  acquired_at: 'l.acquired_at',
  expires_at: 'l.expires_at',
  fencing_token: 'l.fencing_token',
};

/**
 * One page, with one lease more if there is another page, and the counts, all as of one reading of the clock.
 *
 * One row: now, active, expired, expiring, silent, closed, and the leases as a JSON array. Comparisons are bytewise: the
 * columns' collation is BINARY.
 */
export function listStatement(query: ListQuery, clock: string): Statement {
  const filter = filterConditions(query.filter);
  const page = pageStatement(query, filter);
  const counts = [isActive, isExpired, isExpiring, isSilent, isClosed].map(
    (sql, index) => `coalesce(sum(${sql}), 0) AS count_${String(index)}`,
  );
  return {
    sql: `WITH clock(now_ms) AS MATERIALIZED (SELECT ${clock}),
      counts AS (SELECT ${counts.join(', ')} FROM distributed_locks l ${where(filter)}),
      page(lease) AS (${page.sql})
      SELECT ${now}, counts.*, (SELECT json_group_array(json(lease)) FROM page) FROM counts`,
    values: [...valuesOf(filter), ...page.values],
  };
}

function pageStatement(query: ListQuery, filter: readonly Condition[]): Statement {
  const conditions = [...filter];
  const state = byState[query.state];
  if (state !== null) conditions.push({ sql: state, values: [] });
  if (query.condition !== null) conditions.push({ sql: byCondition[query.condition], values: [] });

  const column = columnOf[query.sortField];
  const direction = query.isDescending ? 'DESC' : 'ASC';
  if (query.after !== null) {
    conditions.push({
      sql: `(${column}, l.id) ${query.isDescending ? '<' : '>'} (?, ?)`,
      values: [query.after.value, Number(query.after.id)],
    });
  }
  return {
    sql: `SELECT ${leaseJson} FROM distributed_locks l ${where(conditions)}
      ORDER BY ${column} ${direction}, l.id ${direction} LIMIT ?`,
    values: [...valuesOf(conditions), query.limit + 1],
  };
}

function filterConditions(filter: ListFilter): Condition[] {
  const conditions: Condition[] = [];
  const add = (sql: string, ...values: SqlValue[]) => conditions.push({ sql, values });

  if (filter.text !== null) {
    add(
      '(instr(l.resource, ?) > 0 OR instr(l.owner, ?) > 0 OR instr(l.client, ?) > 0)',
      filter.text,
      filter.text,
      filter.text,
    );
  }
  if (filter.resourcePrefix !== null) {
    add('l.resource BETWEEN ? AND ?', ...prefixRange(filter.resourcePrefix));
  }
  if (filter.owner !== null) add('l.owner = ?', filter.owner);
  if (filter.ownerPrefix !== null) {
    add('l.owner BETWEEN ? AND ?', ...prefixRange(filter.ownerPrefix));
  }
  if (filter.client !== null) add('l.client = ?', filter.client);
  if (filter.fencingToken !== null) add('l.fencing_token = ?', filter.fencingToken);
  if (filter.visible !== null) conditions.push(isVisible(filter.visible));
  // Contention is not counted yet: nobody has been denied as far as this store knows.
  if (filter.askedMin !== null && filter.askedMin > 0) add('0');
  return conditions;
}

/** That one of the patterns covers the resource. Without any, nothing is to be seen. */
function isVisible(patterns: readonly ResourcePattern[]): Condition {
  const alternatives = patterns.map((pattern): Condition => {
    switch (pattern.kind) {
      case 'exact':
        return { sql: 'l.resource = ?', values: [pattern.name] };
      case 'prefix':
        return { sql: 'l.resource BETWEEN ? AND ?', values: prefixRange(pattern.prefix) };
    }
  });
  const sql = ['0', ...alternatives.map((alternative) => alternative.sql)].join(' OR ');
  return { sql: `(${sql})`, values: valuesOf(alternatives) };
}

/** From the prefix to the last name that can begin with it: names have at most 512 bytes, 128 of the last character. */
function prefixRange(prefix: string): readonly [string, string] {
  return [prefix, prefix + '\u{10FFFF}'.repeat(limits.resourceBytesMax / 4)];
}

function where(conditions: readonly Condition[]): string {
  if (conditions.length === 0) return '';
  return `WHERE ${conditions.map((condition) => condition.sql).join(' AND ')}`;
}

function valuesOf(conditions: readonly Condition[]): readonly SqlValue[] {
  return conditions.flatMap((condition) => condition.values);
}
