import type { EventKind, LockEvent } from './events';
import type { ResourcePattern } from './patterns';

/** What the history is narrowed by; null for everything. All comparisons are bytewise and case-sensitive. */
export interface EventsFilter {
  readonly kinds: readonly EventKind[] | null;
  readonly actor: string | null;
  readonly client: string | null;
  readonly resource: ResourcePattern | null;
  /** From this moment on. */
  readonly sinceMs: number | null;
  /** Before this moment. */
  readonly untilMs: number | null;
  /** What the caller may see: only events of resources that one of these covers. Those of no resource are none of them. */
  readonly visible: readonly ResourcePattern[] | null;
}

/** Where a page ended: the next one begins right after it. */
export interface EventsPosition {
  readonly atMs: number;
  readonly id: string;
}

export interface EventsQuery {
  readonly filter: EventsFilter;
  readonly limit: number;
  readonly after: EventsPosition | null;
  /** How many events may be looked at for one page: a filter that fits few of them must not read them all at once. */
  readonly walkMax: number;
}

/**
 * Newest first: by time, and by id within a millisecond. The history of one resource by its exact name is in the order in
 * which it happened, by id alone, which stays true when the clock is set back.
 */
export interface EventsPage {
  readonly events: readonly LockEvent[];
  /** Null at the end. With one there may be more, also after a page that is short or empty. */
  readonly next: EventsPosition | null;
}

/** Of two events on a trail, whether the first comes before the second. */
export function isNewer(
  { resource }: EventsFilter,
  one: EventsPosition,
  other: EventsPosition,
): boolean {
  const isLaterId = Number(one.id) > Number(other.id);
  if (resource?.kind === 'exact' || one.atMs === other.atMs) return isLaterId;
  return one.atMs > other.atMs;
}
