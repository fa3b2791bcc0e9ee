import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';

import { eventsAnswer, type EventsOnWire } from '../contract/answers';
import { fetchJson } from './fetch-json';
import { withQuery } from './paths';
import { pollingOptions, type Polling } from './polling';
import { anchorOf, type ServerAnchor } from './server-anchor';
import { fetchStoreNow } from './store-now';

/** What people did to locks, what leases went through, and what happened to keys and people. */
export const activityViews = ['operator', 'lease', 'access'] as const;
export type ActivityView = (typeof activityViews)[number];

export interface ActivityFilters {
  readonly view: ActivityView;
  /** An exact name, or the beginning of names and one `*`; empty for any. */
  readonly resource: string;
  readonly actor: string;
  readonly client: string;
}

/** The newest page, as it is now. */
export interface ActivitySighting extends EventsOnWire {
  readonly anchor: ServerAnchor;
}

const activityPageLimit = 50;
const firstCursor: string | null = null;

/** The newest events, asked for again and again: how many have come since those that are shown. */
export function activityOptions(filters: ActivityFilters, { isPaused }: Polling) {
  return queryOptions({
    ...pollingOptions({ isPaused }),
    queryKey: ['activity', filters, 'newest'],
    queryFn: async ({ signal }): Promise<ActivitySighting> => {
      const [events, now] = await Promise.all([
        fetchActivity(filters, firstCursor, signal),
        fetchStoreNow(signal),
      ]);
      return { ...events, anchor: anchorOf(now) };
    },
  });
}

/** What is shown: from one newest page on downwards. It stands still until somebody asks for what is newer. */
export function shownActivityOptions(filters: ActivityFilters, newest: EventsOnWire) {
  return infiniteQueryOptions({
    queryKey: ['activity', filters, 'shown'],
    queryFn: ({ pageParam, signal }) => fetchActivity(filters, pageParam, signal),
    initialPageParam: firstCursor,
    initialData: () => ({ pages: [newest], pageParams: [firstCursor] }),
    getNextPageParam: (page: EventsOnWire) => page.next_cursor,
    retry: false,
    networkMode: 'always',
    staleTime: Infinity,
    gcTime: 0,
  });
}

/** The same filters as a table for spreadsheets. */
export function activityCsvPath(filters: ActivityFilters): string {
  return withQuery('/api/events.csv', parametersOf(filters));
}

/** @returns how many events are newer than those shown; null for more than one page of them. */
export function newerCount(newest: EventsOnWire, shown: EventsOnWire | undefined): number | null {
  const last = shown?.events[0];
  const place =
    last === undefined ? newest.events.length : newest.events.findIndex(({ id }) => id === last.id);
  return place === -1 || place >= activityPageLimit ? null : place;
}

function fetchActivity(
  filters: ActivityFilters,
  cursor: string | null,
  signal: AbortSignal,
): Promise<EventsOnWire> {
  const parameters = { ...parametersOf(filters), limit: activityPageLimit, cursor };
  return fetchJson(withQuery('/api/events', parameters), { schema: eventsAnswer, signal });
}

function parametersOf({ view, resource, actor, client }: ActivityFilters) {
  return { kind: view, resource, actor, client };
}
