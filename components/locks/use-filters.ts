'use client';

import { parseAsInteger, parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { useMemo } from 'react';

import { sortDefault, sortWords, type ListSortField } from '@/lib/contract/list-query';
import { lockTabs, type LockFilters, type LockSort } from '@/lib/queries/list-locks';

const text = parseAsString.withDefault('');

const parsers = {
  tab: parseAsStringLiteral(lockTabs).withDefault('all'),
  q: text,
  prefix: text,
  owner: text,
  ownerPrefix: text,
  client: text,
  fence: parseAsInteger,
  sort: parseAsStringLiteral(sortWords).withDefault(sortDefault),
};

const urlKeys = { tab: 'state', ownerPrefix: 'owner_prefix' } as const;

export interface FiltersInUrl {
  readonly filters: LockFilters;
  /** Typing replaces the entry in the history of the browser; everything else makes a new one to go back from. */
  readonly setFilters: (changed: Partial<LockFilters>, history?: 'push' | 'replace') => void;
}

/** The filters live in the URL: a reload, a bookmark and a link to a colleague show the same list. */
export function useFilters(): FiltersInUrl {
  const [filters, setStates] = useQueryStates(parsers, { urlKeys, clearOnDefault: true });
  return useMemo(
    () => ({
      filters,
      setFilters: (changed, history = 'push') => void setStates(changed, { history }),
    }),
    [filters, setStates],
  );
}

export const noFilters = {
  q: '',
  prefix: '',
  owner: '',
  ownerPrefix: '',
  client: '',
  fence: null,
} satisfies Partial<LockFilters>;

export function isNarrowed(filters: LockFilters): boolean {
  return Object.values({ ...noFilters, ...pickNarrowing(filters) }).some(
    (value) => value !== '' && value !== null,
  );
}

function pickNarrowing({ q, prefix, owner, ownerPrefix, client, fence }: LockFilters) {
  return { q, prefix, owner, ownerPrefix, client, fence };
}

/** The next order when a column's head is pressed: ascending first, then the other way round. */
export function nextSort(current: LockSort, field: ListSortField): LockSort {
  return current === field ? `-${field}` : field;
}
