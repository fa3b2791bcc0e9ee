import type { LockEvent } from '../locks/events';
import type { EventsPage } from '../locks/lock-store';

/** @param found newest first: one event more than the page holds, if there is another page. */
export function eventsPage(found: readonly LockEvent[], limit: number): EventsPage {
  const events = found.slice(0, limit);
  const hasMore = found.length > limit;
  return { events, nextBeforeId: hasMore ? (events.at(-1)?.id ?? null) : null };
}
