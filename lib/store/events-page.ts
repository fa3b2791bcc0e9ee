import type { LockEvent } from '../locks/events';
import { isNewer, type EventsPage, type EventsPosition, type EventsQuery } from '../locks/trail';

/** What one index told of the history, newest first. */
export interface EventsBranch {
  /** One more than the page holds, if there are as many. */
  readonly events: readonly LockEvent[];
  /** How far it was looked through, if not to its end and still too few were found. */
  readonly walkedTo: EventsPosition | null;
}

/** Puts together what was read by one index or by several: the newest, as far as all of them were looked through. */
export function eventsPage(query: EventsQuery, branches: readonly EventsBranch[]): EventsPage {
  const { filter, limit } = query;
  const newestFirst = (one: EventsPosition, other: EventsPosition) =>
    isNewer(filter, one, other) ? -1 : 1;
  const [horizon = null] = branches
    .flatMap(({ walkedTo }) => (walkedTo === null ? [] : [walkedTo]))
    .sort(newestFirst);
  const found = branches
    .flatMap(({ events }) => events)
    .filter((event) => horizon === null || !isNewer(filter, horizon, event))
    .sort(newestFirst);
  const events = found.slice(0, limit);
  const last = found.length > limit ? events.at(-1) : undefined;
  return { events, next: last === undefined ? horizon : { atMs: last.atMs, id: last.id } };
}
