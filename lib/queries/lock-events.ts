import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';

import { eventsAnswer, type EventOnWire, type EventsOnWire } from '../contract/answers';
import { fetchJson } from './fetch-json';
import { inspectLock, type LockSighting } from './inspect-lock';
import { lockPath, withQuery } from './paths';
import { pollingOptions, type Polling } from './polling';

const pageLimit = 50;
const firstCursor: string | null = null;

/** The history of one resource, newest first. */
export function lockEventsOptions(resource: string, polling: Polling) {
  const { refetchInterval, ...rest } = pollingOptions(polling);
  return infiniteQueryOptions({
    ...rest,
    queryKey: ['lock', resource, 'events'],
    queryFn: ({ pageParam, signal }) => fetchEvents(resource, { cursor: pageParam, signal }),
    initialPageParam: firstCursor,
    getNextPageParam: (page: EventsOnWire) => page.next_cursor,
    refetchInterval: (query) => {
      // All loaded pages are asked for again, so a long history is asked for less often.
      const pages = query.state.data?.pages.length ?? 1;
      const everyMs = refetchInterval(query);
      return everyMs === false ? false : everyMs * Math.max(1, pages);
    },
  });
}

/** What became of a lock that left the list: its row as it is now, and the last thing that happened to it. */
export interface Whereabouts extends LockSighting {
  readonly lastEvent: EventOnWire | null;
}

export function whereaboutsOptions(resource: string, polling: Polling) {
  return queryOptions({
    ...pollingOptions(polling),
    queryKey: ['lock', resource, 'whereabouts'],
    queryFn: async ({ signal }): Promise<Whereabouts> => {
      const [sighting, { events }] = await Promise.all([
        inspectLock(resource, signal),
        fetchEvents(resource, { limit: 1, signal }),
      ]);
      return { ...sighting, lastEvent: events[0] ?? null };
    },
    gcTime: 10_000,
  });
}

/** The newest events, under an open dialog: they tell how a lease came to its end. */
export function recentEventsOptions(resource: string) {
  return queryOptions({
    ...pollingOptions({ isPaused: false }),
    queryKey: ['lock', resource, 'recent-events'],
    queryFn: ({ signal }) => fetchEvents(resource, { limit: 20, signal }),
    staleTime: 0,
    gcTime: 10_000,
  });
}

/** About ten minutes: a holder that has not noticed by then may well be gone. */
const noticedReadsMax = 200;

/** Waits for an evicted holder to notice: its first failed renew is in the history. */
export function noticedOptions(resource: string, fencingToken: number, { isPaused }: Polling) {
  return queryOptions({
    ...pollingOptions({ isPaused }),
    queryKey: ['lock', resource, 'noticed', fencingToken],
    queryFn: async ({ signal }) => {
      const { events } = await fetchEvents(resource, { signal });
      return events.find((event) => isNoticed(event, fencingToken)) ?? null;
    },
    refetchInterval: ({ state }) => {
      const isOver = (state.data ?? null) !== null || state.dataUpdateCount > noticedReadsMax;
      return isPaused || isOver ? false : 2_000;
    },
  });
}

function isNoticed(event: EventOnWire, fencingToken: number): boolean {
  return event.kind === 'noticed' && event.fencing_token === fencingToken;
}

export function fetchEvents(
  resource: string,
  options: { cursor?: string | null; limit?: number; signal?: AbortSignal | undefined },
): Promise<EventsOnWire> {
  const { cursor = null, limit = pageLimit, signal } = options;
  const path = withQuery(lockPath(resource, 'events'), { limit, cursor });
  return fetchJson(path, { schema: eventsAnswer, signal });
}
