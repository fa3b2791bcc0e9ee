import type { LockOnWire } from '../contract/answers';
import type { LocksPage } from './list-locks';
import type { ServerAnchor } from './server-anchor';

/** One row as it is drawn. */
export interface DrawnRow {
  readonly lock: LockOnWire;
  readonly anchor: ServerAnchor;
  /** Not in the newest answer: it left the filter, or moved beyond what is loaded. */
  readonly isMissing: boolean;
}

/** The list as it lies under the operator's hand. */
export interface StillRows {
  readonly rows: readonly DrawnRow[];
  /** How many pages have been laid out; what further pages bring is appended, not held back. */
  readonly pageCount: number;
  /** How many locks wait to be shown. */
  readonly waiting: number;
}

/**
 * Lays newly read pages over what is drawn. Held still, nothing moves: values change in place, rows that are gone stay
 * and say so, rows that are new wait and are counted. Otherwise the pages are taken as they are.
 */
export function settleRows(
  drawn: StillRows | null,
  pages: readonly LocksPage[],
  { isHeldStill }: { readonly isHeldStill: boolean },
): StillRows {
  if (drawn === null || !isHeldStill) {
    return { rows: [...rowsOf(pages).values()], pageCount: pages.length, waiting: 0 };
  }
  const fresh = rowsOf(pages);
  const rows = drawn.rows.map((row) => fresh.get(row.lock.resource) ?? { ...row, isMissing: true });
  for (const row of rows) fresh.delete(row.lock.resource);
  const further = rowsOf(pages.slice(drawn.pageCount));
  for (const [resource, row] of further) {
    if (fresh.delete(resource)) rows.push(row);
  }
  return { rows, pageCount: pages.length, waiting: fresh.size };
}

/** A lock that moved between two pages while they were read is in both; the one read later counts. */
function rowsOf(pages: readonly LocksPage[]): Map<string, DrawnRow> {
  const rows = new Map<string, DrawnRow>();
  for (const { locks, anchor } of pages) {
    for (const lock of locks) rows.set(lock.resource, { lock, anchor, isMissing: false });
  }
  return rows;
}

/** Of a list too long to be asked for again: the rows that a single page, asked for by itself, knows better. */
export function refreshRows(drawn: StillRows, page: LocksPage): StillRows {
  const fresh = rowsOf([page]);
  const rows = drawn.rows.map((row) => fresh.get(row.lock.resource) ?? row);
  return { ...drawn, rows };
}
