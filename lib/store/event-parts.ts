import type { EventKind } from '../locks/events';
import { isCovered, type ResourcePattern } from '../locks/patterns';
import type { EventsFilter, EventsQuery } from '../locks/trail';
import { isVisible, isWithin } from './list-parts';

/** SQL made from the filters of the history. Columns come from closed sets; every value is bound. */

/** What the databases say in words of their own. */
export interface EventsDialect {
  /** The place of the nth bound value, from 1. */
  readonly bound: (place: number) => string;
  /** A time as milliseconds. */
  readonly ms: (time: string) => string;
  /** A bound number of milliseconds as a time, to compare with the columns that hold times. */
  readonly time: (bound: string) => string;
  /** Expressions as one JSON array; those that are JSON themselves are marked by `json`. */
  readonly array: (...expressions: readonly string[]) => string;
  readonly json: (expression: string) => string;
  /** The rows of a subquery `p` with one column of JSON, `event`, as one JSON array. */
  readonly gather: (subquery: string) => string;
}

type Bind = (value: string | number) => string;

/**
 * One column: a JSON array with an entry for each index that is read, of its events and of how far it was read. See
 * `EventsBranch`.
 *
 * Each is read newest first by an index whose order is that of the page, so nothing is ever sorted. A filter that the
 * index does not answer is tried on each event that is passed, of which there are at most `walkMax`.
 */
export function eventsStatement(
  query: EventsQuery,
  dialect: EventsDialect,
): { sql: string; values: readonly (string | number)[] } {
  const values: (string | number)[] = [];
  const bind: Bind = (value) => dialect.bound(values.push(value));
  const branches = indexesFor(query.filter).map((index) =>
    dialect.json(`(${branchSql(query, index, dialect, bind)})`),
  );
  return { sql: `SELECT ${dialect.array(...branches)}`, values };
}

/** Which index is read, and what it can't answer. */
interface IndexChoice {
  readonly column: 'resource' | 'actor' | 'client' | 'kind' | null;
  readonly value: string;
  readonly rest: EventsFilter;
}

/** By the filter that leaves the least to look through. Several kinds are several readings of one index. */
function indexesFor(filter: EventsFilter): readonly IndexChoice[] {
  const { resource, actor, client, kinds } = filter;
  if (resource?.kind === 'exact') {
    const isSeen = filter.visible === null || isCovered(resource.name, filter.visible);
    const rest = { ...filter, resource: null, visible: isSeen ? null : [] };
    return [{ column: 'resource', value: resource.name, rest }];
  }
  if (actor !== null) return [{ column: 'actor', value: actor, rest: { ...filter, actor: null } }];
  if (client !== null) {
    return [{ column: 'client', value: client, rest: { ...filter, client: null } }];
  }
  if (kinds !== null && !isMostOfAll(kinds)) {
    const rest = { ...filter, kinds: null };
    return kinds.map((kind) => ({ column: 'kind', value: kind, rest }));
  }
  return [{ column: null, value: '', rest: filter }];
}

/** Nearly every event is a grant or a release: both together are found sooner among all. */
function isMostOfAll(kinds: readonly EventKind[]): boolean {
  return kinds.includes('acquired') && kinds.includes('released');
}

/** Built from its first word to its last, since that is the order in which SQLite takes the values. */
function branchSql(
  query: EventsQuery,
  index: IndexChoice,
  dialect: EventsDialect,
  bind: Bind,
): string {
  const order = index.column === 'resource' ? 'e.id DESC' : 'e.at DESC, e.id DESC';
  const walk = () => {
    const wanted = indexConditions(query, index, dialect, bind);
    return `FROM lock_events e ${where(wanted)} ORDER BY ${order}`;
  };
  const rest = (prepared: Bind) => restConditions(index, dialect, prepared);
  const isWhole = rest(() => '').length === 0;
  if (isWhole) {
    const page = `SELECT ${eventJson(dialect)} AS event ${walk()} LIMIT ${bind(query.limit + 1)}`;
    return `SELECT ${dialect.array(dialect.json(dialect.gather(page)), 'NULL')}`;
  }
  const hasAll = `json_array_length(found.events) > ${bind(query.limit)}`;
  const walkedTo = `(SELECT ${dialect.array(dialect.ms('e.at'), 'e.id')} ${walk()}
    LIMIT 1 OFFSET ${bind(query.walkMax - 1)})`;
  const walked = `SELECT e.* ${walk()} LIMIT ${bind(query.walkMax)}`;
  const page = `SELECT ${eventJson(dialect)} AS event FROM (${walked}) e ${where(rest(bind))}
    LIMIT ${bind(query.limit + 1)}`;
  return `SELECT ${dialect.array(
    dialect.json('found.events'),
    dialect.json(`CASE WHEN ${hasAll} THEN NULL ELSE ${walkedTo} END`),
  )} FROM (SELECT ${dialect.gather(page)} AS events) found`;
}

function indexConditions(
  { filter, after }: EventsQuery,
  { column, value }: IndexChoice,
  { time }: EventsDialect,
  bind: Bind,
): string[] {
  const wanted: string[] = [];
  if (column !== null) wanted.push(`e.${column} = ${bind(value)}`);
  if (column === 'resource') {
    if (after !== null) wanted.push(`e.id < ${bind(Number(after.id))}`);
    return wanted;
  }
  if (filter.sinceMs !== null) wanted.push(`e.at >= ${time(bind(filter.sinceMs))}`);
  if (after !== null) {
    wanted.push(`(e.at, e.id) < (${time(bind(after.atMs))}, ${bind(Number(after.id))})`);
  } else if (filter.untilMs !== null) {
    wanted.push(`e.at < ${time(bind(filter.untilMs))}`);
  }
  return wanted;
}

function restConditions(
  { column, rest }: IndexChoice,
  { time }: EventsDialect,
  bind: Bind,
): string[] {
  const wanted: string[] = [];
  if (column === 'resource') {
    if (rest.sinceMs !== null) wanted.push(`e.at >= ${time(bind(rest.sinceMs))}`);
    if (rest.untilMs !== null) wanted.push(`e.at < ${time(bind(rest.untilMs))}`);
  }
  if (rest.actor !== null) wanted.push(`e.actor = ${bind(rest.actor)}`);
  if (rest.client !== null) wanted.push(`e.client = ${bind(rest.client)}`);
  if (rest.kinds !== null) wanted.push(`e.kind IN (${rest.kinds.map(bind).join(', ')})`);
  if (rest.resource !== null) wanted.push(covers(rest.resource, bind));
  if (rest.visible !== null) wanted.push(isVisible('e.resource', rest.visible, bind));
  return wanted;
}

function covers(pattern: ResourcePattern, bind: Bind): string {
  switch (pattern.kind) {
    case 'exact':
      return `e.resource = ${bind(pattern.name)}`;
    case 'prefix':
      return isWithin('e.resource', pattern.prefix, bind);
  }
}

/** The columns of an event in the order in which `reports.ts` parses them. */
export function eventJson({ array, ms }: Pick<EventsDialect, 'array' | 'ms'>): string {
  return array(
    'e.id',
    ms('e.at'),
    'e.kind',
    'e.resource',
    'e.owner',
    'e.fencing_token',
    ms('e.expires_at'),
    'e.previous_owner',
    'e.client',
    'e.actor',
    'e.reason',
    'e.count',
    'e.held_ms',
    'e.request_id',
    'e.subject',
  );
}

function where(wanted: readonly string[]): string {
  return wanted.length === 0 ? '' : `WHERE ${wanted.join(' AND ')}`;
}
