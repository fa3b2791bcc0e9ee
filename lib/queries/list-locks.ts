import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';

import { listAnswer, type ListOnWire } from '../contract/answers';
import { limits } from '../contract/limits';
import { leaseConditions, type ListQueryOnWire } from '../contract/list-query';
import { fetchJson } from './fetch-json';
import { withQuery } from './paths';
import { pollingOptions, type Polling } from './polling';
import { anchorOf, type ServerAnchor } from './server-anchor';

/** The tabs over the list, in the operator's words. */
export const lockTabs = ['all', 'held', ...leaseConditions, 'expired', 'asked'] as const;
export type LockTab = (typeof lockTabs)[number];

export type LockSort = ListQueryOnWire['sort'];

/** What the list is narrowed by; an empty text narrows nothing. */
export interface LockFilters {
  readonly tab: LockTab;
  readonly q: string;
  readonly prefix: string;
  readonly owner: string;
  readonly ownerPrefix: string;
  readonly client: string;
  readonly fence: number | null;
  readonly sort: LockSort;
}

/** One page of the list, tied to the clock of the server that wrote it. */
export interface LocksPage extends ListOnWire {
  readonly anchor: ServerAnchor;
}

/** The first page is what one sees at once; those fetched while scrolling are as large as the API allows. */
const firstPageLimit = limits.listLimitDefault;
const furtherPageLimit = limits.listLimitMax;

/** Which of the pages a row of the list is on. */
export function pageIndexOf(rowIndex: number): number {
  if (rowIndex < firstPageLimit) return 0;
  return 1 + Math.floor((rowIndex - firstPageLimit) / furtherPageLimit);
}

/** Up to here every page is asked for again each time; a longer list keeps its order until told to look anew. */
export const livePagesMax = 3;

const firstCursor: string | null = null;

export function locksOptions(filters: LockFilters, polling: Polling) {
  const { refetchInterval, ...rest } = pollingOptions(polling);
  return infiniteQueryOptions({
    ...rest,
    queryKey: ['locks', 'list', filters],
    queryFn: ({ pageParam, signal }) => fetchPage(filters, pageParam, signal),
    initialPageParam: firstCursor,
    getNextPageParam: (page: LocksPage) => page.next_cursor,
    placeholderData: keepPreviousData,
    refetchInterval: (query) => {
      const pages = query.state.data?.pages.length ?? 0;
      return pages > livePagesMax ? false : refetchInterval(query);
    },
  });
}

/** Of a list too long to ask for as a whole: the page from this cursor on (null for the first), asked for by itself. */
export function locksPageOptions(filters: LockFilters, cursor: string | null, polling: Polling) {
  return queryOptions({
    ...pollingOptions(polling),
    queryKey: ['locks', 'page', filters, cursor],
    queryFn: ({ signal }) => fetchPage(filters, cursor, signal),
    gcTime: 10_000,
  });
}

async function fetchPage(
  filters: LockFilters,
  cursor: string | null,
  signal: AbortSignal,
): Promise<LocksPage> {
  const limit = cursor === null ? firstPageLimit : furtherPageLimit;
  const path = withQuery('/api/locks', { ...parametersOf(filters), limit, cursor });
  const answer = await fetchJson(path, { schema: listAnswer, signal });
  return { ...answer, anchor: anchorOf(answer.now) };
}

function parametersOf(filters: LockFilters) {
  return {
    ...parametersOfTab(filters.tab),
    q: filters.q,
    prefix: filters.prefix,
    owner: filters.owner,
    owner_prefix: filters.ownerPrefix,
    client: filters.client,
    fencing_token: filters.fence,
    sort: filters.sort,
  };
}

function parametersOfTab(tab: LockTab): Pick<ListQueryOnWire, 'state' | 'condition' | 'asked_min'> {
  switch (tab) {
    case 'all':
      return { state: 'all' };
    case 'held':
      return { state: 'active' };
    case 'expiring':
    case 'silent':
    case 'closed':
      return { state: 'active', condition: tab };
    case 'expired':
      return { state: 'expired' };
    case 'asked':
      return { state: 'active', asked_min: 1 };
  }
}

/** Every expired lock that matches, by name and fencing token, up to a bound; for selecting more than is loaded. */
export async function fetchExpired(
  filters: LockFilters,
  locksMax: number,
  signal?: AbortSignal,
): Promise<LocksPage['locks']> {
  const expired: LocksPage['locks'] = [];
  let cursor: string | null = null;
  do {
    const path = withQuery('/api/locks', {
      ...parametersOf({ ...filters, tab: 'expired' }),
      limit: furtherPageLimit,
      cursor,
    });
    const page: ListOnWire = await fetchJson(path, { schema: listAnswer, signal });
    expired.push(...page.locks);
    cursor = page.next_cursor;
  } while (cursor !== null && expired.length < locksMax);
  return expired.slice(0, locksMax);
}
