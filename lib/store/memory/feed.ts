import {
  comparePositions,
  feedOrigin,
  type FeedEvent,
  type FeedPage,
  type FeedQuery,
  type FeedTally,
  type TallyQuery,
} from '../../locks/event-feed';
import type { EventKind, LockEvent } from '../../locks/events';

/** Events are whole as soon as they are there, in the order of their ids. */
export function feedPage(events: readonly LockEvent[], { after, limit }: FeedQuery): FeedPage {
  if (after === null) {
    const newest = limit === 0 ? [] : events.slice(-limit);
    return { events: newest.map(asFeedEvent), isKnown: true, lagMs: 0 };
  }
  const all = events.map(asFeedEvent);
  const isKnown =
    comparePositions(after, feedOrigin) === 0
      ? (all[0]?.position.id ?? 1) === 1
      : all.some(({ position }) => comparePositions(position, after) === 0);
  const later = all.filter(({ position }) => comparePositions(position, after) > 0);
  return { events: later.slice(0, limit), isKnown, lagMs: 0 };
}

export function tallyOf(events: readonly LockEvent[], query: TallyQuery): FeedTally {
  const page = feedPage(events, query).events;
  const counts: Partial<Record<EventKind, number>> = {};
  for (const { event } of page) counts[event.kind] = (counts[event.kind] ?? 0) + 1;
  return { end: page.at(-1)?.position ?? query.after, counts, lagMs: 0 };
}

function asFeedEvent(event: LockEvent): FeedEvent {
  return { position: { transaction: 0, id: Number(event.id) }, event };
}
