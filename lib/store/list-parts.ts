import { silentGapMsMin, type LeaseCondition } from '../locks/lease';
import { limits } from '../locks/limits';
import type { ListFilter, ListQuery, ListSortField } from '../locks/lock-store';
import type { ResourcePattern } from '../locks/patterns';

/** SQL made from a list's filters. Column and direction come from closed sets; every value is bound. */

/** What the databases say in words of their own. */
export interface ListDialect {
  /** Now, to compare with the columns that hold times. */
  readonly now: string;
  /** A time as milliseconds, to reckon with. */
  readonly ms: (time: string) => string;
  /** A bound number of milliseconds as a time, to compare with the columns that hold times. */
  readonly time: (bound: string) => string;
  /** That a row `l` has less than a fifth of its TTL left. */
  readonly isNearEnd: string;
  /** Whoever renewed after this time is not silent. */
  readonly silentBefore: string;
  /** A column, so that no index on it is used: one that most rows are found by is slower than reading all of them. */
  readonly unindexed: (column: string) => string;
  readonly greatest: (one: string, other: string) => string;
  /** Where a text stands in a column, bytewise; 0 for nowhere. */
  readonly positionIn: (column: string, text: string) => string;
  /** The place of the nth bound value, from 1. */
  readonly bound: (place: number) => string;
  /** A row `l` as one JSON array. */
  readonly leaseJson: string;
  /** Who asks for the lock of a row `l`, in short, as one JSON array; null for nobody. */
  readonly contentionJson: string;
  /** Whoever was denied after this time still asks. */
  readonly askingSince: string;
  /** The columns of the rows `l` that are on the page: of them alone, not of all that are sorted. */
  readonly pageOf: (columns: string, rows: string, order: string, limit: string) => string;
}

/** The parts of one list, over one numbering of its bound values. All comparisons are bytewise. */
export interface ListParts {
  /** Yields `lease` and `contention`: one lease more than the page holds, if there is another page. */
  readonly page: string;
  /** What passes the filters, whatever its state and condition: for `counts`, by the name `matching`. */
  readonly matching: string;
  /** Yields one row: active, expired, expiring, silent, closed, asked, as far as they are counted. */
  readonly counts: string;
  readonly values: readonly (string | number)[];
}

/** What is counted beside a page: conditions of so many active locks as counts are exact to, or of all there are. */
export type Counted = 'nothing' | 'up-to-exact' | 'all';

export function listParts(query: ListQuery, dialect: ListDialect, counted: Counted): ListParts {
  const values: (string | number)[] = [];
  const bind = (value: string | number) => dialect.bound(values.push(value));
  const conditions = conditionsIn(dialect);
  const matching = `SELECT l.* FROM distributed_locks l ${where(filtersIn(query.filter, dialect, bind))}`;
  return {
    matching,
    counts: countsSql(conditions, dialect, counted),
    page: pageSql(query, dialect, conditions, bind),
    values,
  };
}

/** States end at the first row that is too many: an index finds them. Conditions are seen only by looking at each row. */
function countsSql(conditions: Conditions, dialect: ListDialect, counted: Counted): string {
  if (counted === 'nothing') {
    return 'SELECT 0 AS active, 0 AS expired, 0 AS expiring, 0 AS silent, 0 AS closed, 0 AS asked';
  }
  const tooMany = String(limits.countMax + 1);
  const upTo = (sql: string) =>
    `(SELECT count(*) FROM (SELECT 1 FROM matching l WHERE ${sql} LIMIT ${tooMany}) counted)`;
  const { expiring, silent, closed } = conditionsOfActive(dialect);
  const looked =
    counted === 'all'
      ? `matching l WHERE ${dialect.unindexed('l.expires_at')} > ${dialect.now}`
      : `(SELECT * FROM matching l WHERE ${conditions.active} LIMIT ${tooMany}) l`;
  return `SELECT ${upTo(conditions.active)} AS active, ${upTo(conditions.expired)} AS expired, expiring, silent, closed,
      ${upTo(isAskedFor('1', dialect))} AS asked
    FROM (SELECT count(*) FILTER (WHERE ${expiring}) AS expiring, count(*) FILTER (WHERE ${silent}) AS silent,
      count(*) FILTER (WHERE ${closed}) AS closed FROM ${looked}) noticed`;
}

/** That at least so many ask for the lock of a row `l`. Found from the askers, who are few. */
function isAskedFor(least: string, { askingSince }: ListDialect): string {
  return `l.resource IN (SELECT a.resource FROM lock_askers a JOIN distributed_locks h ON h.resource = a.resource
    WHERE a.last_at > ${askingSince} AND NOT (a.owner = h.owner AND a.client = coalesce(h.client, ''))
    GROUP BY a.resource HAVING count(*) >= ${least})`;
}

type Bind = (value: string | number) => string;
type Conditions = Readonly<Record<'active' | 'expired' | LeaseCondition, string>>;

function conditionsIn(dialect: ListDialect): Conditions {
  const active = `l.expires_at > ${dialect.now}`;
  const { expiring, silent, closed } = conditionsOfActive(dialect);
  return {
    active,
    expired: `l.expires_at <= ${dialect.now}`,
    expiring: `(${active} AND ${expiring})`,
    silent: `(${active} AND ${silent})`,
    closed: `(${active} AND ${closed})`,
  };
}

/** What an active lock may be; at most one of them. */
function conditionsOfActive(dialect: ListDialect): Readonly<Record<LeaseCondition, string>> {
  const silent = seemsSilent(dialect);
  return {
    closed: 'l.hold_name IS NOT NULL',
    silent: `(l.hold_name IS NULL AND ${silent})`,
    expiring: `(l.hold_name IS NULL AND ${dialect.isNearEnd} AND NOT coalesce(${silent}, false))`,
  };
}

/** The cheap parts first: most locks renewed a moment ago. */
function seemsSilent({ now, ms, greatest, silentBefore }: ListDialect): string {
  const gapsMs = greatest(
    `${ms('l.renewed_at')} - ${ms('l.acquired_at')}`,
    `${String(silentGapMsMin)} * l.renew_count`,
  );
  return `(l.renew_count > 0 AND l.renewed_at < ${silentBefore}
    AND (${ms(now)} - ${ms('l.renewed_at')}) * l.renew_count > 2 * ${gapsMs})`;
}

const columnOf: Readonly<Record<ListSortField, string>> = {
  resource: 'l.resource',
  owner: 'l.owner',
  acquired_at: 'l.acquired_at',
  expires_at: 'l.expires_at',
  fencing_token: 'l.fencing_token',
};

function pageSql(
  query: ListQuery,
  dialect: ListDialect,
  conditions: Conditions,
  bind: Bind,
): string {
  const wanted = filtersIn(query.filter, dialect, bind);
  if (query.state !== 'all') wanted.push(conditions[query.state]);
  if (query.condition !== null) wanted.push(conditions[query.condition]);

  const column = columnOf[query.sortField];
  const direction = query.isDescending ? 'DESC' : 'ASC';
  if (query.after !== null) {
    const isTime = query.sortField === 'acquired_at' || query.sortField === 'expires_at';
    const bound = bind(query.after.value);
    const value = isTime ? dialect.time(bound) : bound;
    const comparison = query.isDescending ? '<' : '>';
    wanted.push(`(${column}, l.id) ${comparison} (${value}, ${bind(Number(query.after.id))})`);
  }
  const columns = `${dialect.leaseJson} AS lease, ${dialect.contentionJson} AS contention`;
  const rows = `FROM distributed_locks l ${where(wanted)}`;
  const order = `ORDER BY ${column} ${direction}, l.id ${direction}`;
  return dialect.pageOf(columns, rows, order, `LIMIT ${bind(query.limit + 1)}`);
}

function filtersIn(filter: ListFilter, dialect: ListDialect, bind: Bind): string[] {
  const wanted: string[] = [];
  if (filter.text !== null) {
    const { text } = filter;
    const columns = ['l.resource', 'l.owner', 'l.client'];
    wanted.push(
      `(${columns.map((column) => `${dialect.positionIn(column, bind(text))} > 0`).join(' OR ')})`,
    );
  }
  if (filter.resourcePrefix !== null) {
    wanted.push(isWithin('l.resource', filter.resourcePrefix, bind));
  }
  if (filter.owner !== null) wanted.push(`l.owner = ${bind(filter.owner)}`);
  if (filter.ownerPrefix !== null) wanted.push(isWithin('l.owner', filter.ownerPrefix, bind));
  if (filter.client !== null) wanted.push(`l.client = ${bind(filter.client)}`);
  if (filter.fencingToken !== null) wanted.push(`l.fencing_token = ${bind(filter.fencingToken)}`);
  if (filter.visible !== null) wanted.push(isVisible('l.resource', filter.visible, bind));
  if (filter.askedMin !== null && filter.askedMin > 0) {
    wanted.push(isAskedFor(bind(filter.askedMin), dialect));
  }
  return wanted;
}

/** That one of the patterns covers the resource. Without any, nothing is to be seen. */
export function isVisible(
  column: string,
  patterns: readonly ResourcePattern[],
  bind: Bind,
): string {
  const alternatives = patterns.map((pattern) => {
    switch (pattern.kind) {
      case 'exact':
        return `${column} = ${bind(pattern.name)}`;
      case 'prefix':
        return isWithin(column, pattern.prefix, bind);
    }
  });
  return `(${['1 = 0', ...alternatives].join(' OR ')})`;
}

export function isWithin(column: string, prefix: string, bind: Bind): string {
  const [first, last] = prefixRange(prefix);
  return `${column} BETWEEN ${bind(first)} AND ${bind(last)}`;
}

/** From the prefix to the last name that can begin with it: names have at most 512 bytes, 128 of the last character. */
function prefixRange(prefix: string): readonly [string, string] {
  return [prefix, prefix + '\u{10FFFF}'.repeat(limits.resourceBytesMax / 4)];
}

function where(wanted: readonly string[]): string {
  return wanted.length === 0 ? '' : `WHERE ${wanted.join(' AND ')}`;
}
