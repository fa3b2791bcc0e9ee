import type { LockEvent } from '../../locks/events';
import { isCovered } from '../../locks/patterns';
import {
  isNewer,
  type EventsFilter,
  type EventsPage,
  type EventsPosition,
  type EventsQuery,
} from '../../locks/trail';

/** One page of the history, newest first. It looks at as many events as it likes, since it has them at hand. */
export function trailPage(events: readonly LockEvent[], query: EventsQuery): EventsPage {
  const { filter, after, limit } = query;
  const following = events
    .filter((event) => passes(event, filter))
    .filter((event) => after === null || isNewer(filter, after, positionOf(event)))
    .sort((one, other) => (isNewer(filter, positionOf(one), positionOf(other)) ? -1 : 1));
  const page = following.slice(0, limit);
  const last = following.length > limit ? page.at(-1) : undefined;
  return { events: page, next: last === undefined ? null : positionOf(last) };
}

function positionOf({ atMs, id }: LockEvent): EventsPosition {
  return { atMs, id };
}

function passes(event: LockEvent, filter: EventsFilter): boolean {
  const { kinds, actor, client, resource, sinceMs, untilMs, visible } = filter;
  return (
    (kinds === null || kinds.includes(event.kind)) &&
    (actor === null || event.actor === actor) &&
    (client === null || event.client === client) &&
    (resource === null || isOf(event, [resource])) &&
    (sinceMs === null || event.atMs >= sinceMs) &&
    (untilMs === null || event.atMs < untilMs) &&
    (visible === null || isOf(event, visible))
  );
}

function isOf({ resource }: LockEvent, patterns: Parameters<typeof isCovered>[1]): boolean {
  return resource !== null && isCovered(resource, patterns);
}
