import { limits } from '../../../locks/limits';
import type { SqlValue, Statement } from '../lock-file';

/**
 * What the lock statements are put together from.
 *
 * A group travels as one JSON array of riders, so the number of statements does not grow with the group. The first
 * statement of a verb decides: it names the rows it changed with this transaction's `change_id`, and those after it
 * write the events, report, and remove what ended. SQLite has one writer, so nothing comes between them.
 */

/** The store's clock in SQL, integer milliseconds. Rounded: `unixepoch('subsec')` is a fraction that may end in …999. */
export const sqliteClock = `CAST(round(unixepoch('subsec') * 1000) AS INTEGER)`;

/** The columns of a lease in the order in which `rows.ts` parses them. */
const leaseColumns = [
  'id',
  'resource',
  'owner',
  'client',
  'acquired_at',
  'expires_at',
  'renewed_at',
  'renew_count',
  'ttl_ms',
  'fencing_token',
  'hold_name',
  'hold_reason',
  'release_requested_by',
  'release_requested_reason',
  'release_requested_at',
  'metadata',
] as const;

/** A row `l` as one JSON array. */
export const leaseJson = `json_array(${leaseColumns.map((column) => `l.${column}`).join(', ')})`;

/** The riders of a group as JSON, each an array of its verb's fields in their order. */
export interface Group {
  readonly riders: string;
  /** Unique for each transaction. */
  readonly changeId: string;
}

/** A verb: what its riders bring, and the statements of its transaction, in order. */
export interface VerbStatements<Field extends string> {
  readonly fields: readonly Field[];
  readonly statements: (group: Group) => readonly Statement[];
}

/** Each field of a rider `r` as an SQL expression, by its place in the rider's array. */
export function riderOf<Field extends string>(fields: readonly Field[]): Record<Field, string> {
  const places = fields.map((field, place) => [field, `(r.value ->> ${String(place)})`] as const);
  return recordOf(places);
}

/** `Object.fromEntries` forgets the names of the entries, of which there is one for each. */
function recordOf<Field extends string>(
  entries: readonly (readonly [Field, string])[],
): Record<Field, string> {
  return Object.fromEntries<string>(entries) as Record<Field, string>;
}

/** The SQL that several verbs share. */
export interface StatementParts {
  /** From each rider `r`, with the input `i` and the clock `c`. Riders first: each finds its row by the unique index. */
  readonly riders: string;
  /** The same for UPDATE … FROM, where CROSS JOIN would put the updated table first and scan it for each rider. */
  readonly ridersToUpdate: string;
  /** And its row `l`; riders without a row drop out. */
  readonly ridersWithRows: string;
  /** And its row `l`, or nulls. */
  readonly ridersAndRows: string;
  /** That this transaction has changed row `l`. */
  readonly changed: string;
  /** Each text as one statement over the same group. */
  readonly verb: <Field extends string>(
    fields: readonly Field[],
    ...texts: readonly string[]
  ) => VerbStatements<Field>;
  /** The event of each row that this transaction changed, from what the deciding statement left in the row. */
  readonly writeEvents: (kinds: readonly string[], by: EventColumns) => string;
  /** Raises the counter past the tokens given in this transaction, and writes nothing if none was. */
  readonly raiseCounter: string;
}

/** Where an event's other columns come from: expressions over the rider. */
export interface EventColumns {
  readonly actor: string | null;
  readonly reason: string | null;
  readonly requestId: string;
}

/** @param clock an SQL expression for now in milliseconds; tests pin it. */
export function createParts(clock: string): StatementParts {
  const input = `WITH input(riders, change_id) AS MATERIALIZED (SELECT ?, ?),
  clock(now_ms) AS MATERIALIZED (SELECT ${clock})`;
  const riders = `FROM input i CROSS JOIN clock c CROSS JOIN json_each(i.riders) r`;
  const ridersWithRows = `${riders} CROSS JOIN distributed_locks l ON l.resource = r.value ->> 0`;
  const changed = `l.change_id = i.change_id`;
  return {
    riders,
    ridersToUpdate: `FROM input i JOIN clock c JOIN json_each(i.riders) r`,
    ridersWithRows,
    ridersAndRows: `${riders} LEFT JOIN distributed_locks l ON l.resource = r.value ->> 0`,
    changed,
    verb: (fields, ...texts) => ({
      fields,
      statements: ({ riders: list, changeId }) => {
        const values: readonly SqlValue[] = [list, changeId];
        return texts.map((text) => ({ sql: `${input}\n${text}`, values }));
      },
    }),
    writeEvents: (kinds, { actor, reason, requestId }) => `
INSERT INTO lock_events
  (at, kind, resource, owner, fencing_token, expires_at, previous_owner, client, actor, reason, held_ms, request_id)
SELECT l.change_at, l.change_kind, l.resource, l.owner, l.fencing_token, l.expires_at, l.change_previous_owner,
  l.client, ${actor ?? 'NULL'}, ${reason ?? 'NULL'}, l.change_held_ms, ${requestId}
${ridersWithRows}
WHERE ${changed} AND l.change_kind IN (${kinds.map((kind) => `'${kind}'`).join(', ')})`,
    raiseCounter: `
UPDATE fencing_counter SET value = value + (SELECT json_array_length(riders) FROM input)
WHERE EXISTS (SELECT 1 ${ridersWithRows} WHERE ${changed} AND l.fencing_token > fencing_counter.value)`,
  };
}

/** That row `l` is the caller's own lease, over or not. A hold is nobody's own. */
export function ownLease(rider: Record<'owner' | 'client' | 'fencingToken', string>): string {
  return `l.owner = ${rider.owner} AND ${sameClient('l', rider.client)} AND l.hold_name IS NULL
    AND (${rider.fencingToken} IS NULL OR l.fencing_token = ${rider.fencingToken})`;
}

/** That a row is the client's. One from before there was access control has none, and is its owner's alone until it ends. */
export function sameClient(row: string, client: string): string {
  return `(${row}.client IS NULL OR ${row}.client IS ${client})`;
}

/** How long an evicted owner is still told of its eviction, as SQL. */
export const forcedMemoryMs = String(limits.forcedMemoryMs);
