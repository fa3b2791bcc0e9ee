'use client';

import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import type { ApiError } from '@/lib/queries/api-error';
import {
  livePagesMax,
  locksOptions,
  locksPageOptions,
  pageIndexOf,
  type LockFilters,
  type LocksPage,
} from '@/lib/queries/list-locks';
import { refreshRows, settleRows, type DrawnRow, type StillRows } from '@/lib/queries/still-rows';

import { usePaused } from '../ui/use-paused';
import { useStickyError } from '../ui/use-sticky-error';

interface ListOptions {
  readonly filters: LockFilters;
  /** A hand is in the table, or rows are selected. */
  readonly isHeldStill: boolean;
  /** The row at the top of the window, by which a very long list knows what to keep current. */
  readonly topIndex: number;
}

export interface LocksList {
  /** Null before the first answer for these filters. */
  readonly rows: readonly DrawnRow[] | null;
  readonly newest: LocksPage | null;
  readonly waiting: number;
  /** The list is too long to be ordered anew all the time: it keeps the order of when it was read. */
  readonly isOrderKept: boolean;
  readonly isStale: boolean;
  readonly error: ApiError | null;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly loadMore: () => void;
  readonly show: () => void;
  readonly retry: () => void;
}

/** The list of locks: read page by page, kept current, and lying still under the hand. */
export function useLocksList({ filters, isHeldStill, topIndex }: ListOptions): LocksList {
  const isPaused = usePaused();
  const queryClient = useQueryClient();
  const options = locksOptions(filters, { isPaused });
  const list = useInfiniteQuery(options);
  const pages = list.isPlaceholderData ? undefined : list.data?.pages;
  const isLong = (pages?.length ?? 0) > livePagesMax;

  const head = useQuery({ ...locksPageOptions(filters, null, { isPaused }), enabled: isLong });
  const cursor = cursorOf(list.data?.pageParams[pageIndexOf(topIndex)]);
  const inView = useQuery({ ...locksPageOptions(filters, cursor, { isPaused }), enabled: isLong });

  const still = useStillRows({
    filterKey: JSON.stringify(filters),
    pages,
    inView: isLong ? inView.data : undefined,
    isHeldStill: isHeldStill || isLong,
  });

  const error = useStickyError(isLong ? head : list);
  const newest = (isLong ? head.data : undefined) ?? list.data?.pages[0] ?? null;
  return {
    rows: still.rows,
    waiting: still.waiting,
    newest,
    isOrderKept: isLong,
    isStale: list.isPlaceholderData,
    error,
    hasMore: list.hasNextPage && !list.isPlaceholderData,
    isLoadingMore: list.isFetchingNextPage,
    loadMore() {
      if (list.hasNextPage && !list.isFetching) void list.fetchNextPage();
    },
    show() {
      still.show();
      if (!isLong) return;
      queryClient.setQueryData(options.queryKey, (data) =>
        data === undefined
          ? data
          : { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) },
      );
      void list.refetch();
    },
    retry: () => void list.refetch(),
  };
}

/** The cache types page parameters as `unknown`; ours are cursors, or null for the first page. */
function cursorOf(pageParam: unknown): string | null {
  return typeof pageParam === 'string' ? pageParam : null;
}

interface StillOptions {
  /** The filters as one word, to compare. */
  readonly filterKey: string;
  readonly pages: readonly LocksPage[] | undefined;
  readonly inView: LocksPage | undefined;
  readonly isHeldStill: boolean;
}

interface Laid extends StillOptions {
  readonly drawn: StillRows | null;
}

/** What was drawn decides what is drawn next, so it is state, brought up to date while rendering. */
function useStillRows(options: StillOptions) {
  const [laid, setLaid] = useState<Laid>(() => ({ ...options, drawn: layOut(null, options) }));
  let current = laid;
  if (!isLaidOut(laid, options)) {
    current = { ...options, drawn: layOut(laid, options) };
    setLaid(current);
  }
  return {
    rows: current.drawn?.rows ?? null,
    waiting: current.drawn?.waiting ?? 0,
    show() {
      const drawn =
        options.pages === undefined
          ? current.drawn
          : settleRows(null, options.pages, { isHeldStill: false });
      setLaid({ ...options, drawn });
    },
  };
}

function isLaidOut(laid: Laid, options: StillOptions): boolean {
  return (
    laid.filterKey === options.filterKey &&
    laid.pages === options.pages &&
    laid.inView === options.inView &&
    laid.isHeldStill === options.isHeldStill
  );
}

function layOut(laid: Laid | null, options: StillOptions): StillRows | null {
  const { pages, inView, isHeldStill, filterKey } = options;
  // Until the first answer for new filters, what was drawn for the old ones stays, dimmed.
  if (pages === undefined) return laid?.drawn ?? null;
  const isOfSameFilters = laid?.filterKey === filterKey && laid.pages !== undefined;
  const before = isOfSameFilters ? laid.drawn : null;
  const settled =
    before !== null && laid?.pages === pages && isHeldStill
      ? before
      : settleRows(before, pages, { isHeldStill });
  return inView === undefined || inView === laid?.inView ? settled : refreshRows(settled, inView);
}
