'use client';

import { useWindowVirtualizer, type VirtualItem } from '@tanstack/react-virtual';
import { useLayoutEffect, useState, type RefObject } from 'react';

import type { DrawnRow } from '@/lib/queries/still-rows';

import { usePreferences } from '../shell/preferences-context';
import { useMediaQuery } from '../ui/use-media-query';

const rowHeights = { compact: 35, comfortable: 45, narrow: 90 } as const;

interface RowVirtualizerOptions {
  readonly tableRef: RefObject<HTMLTableElement | null>;
  readonly rows: readonly DrawnRow[];
  /** The row that has the focus stays drawn, or scrolling would lose the focus. */
  readonly focusedIndex: number | null;
}

export interface RowVirtualizer {
  readonly items: readonly VirtualItem[];
  readonly topIndex: number;
  /** Heights of what is not drawn: before each item, and after the last. */
  readonly gapBefore: (order: number) => number;
  readonly gapAfter: number;
  readonly measure: (row: HTMLTableRowElement | null) => void;
  readonly scrollToIndex: (index: number) => void;
}

/** Which rows to draw of a list that the window scrolls. */
export function useRowVirtualizer(options: RowVirtualizerOptions): RowVirtualizer {
  const { tableRef, rows, focusedIndex } = options;
  const { density } = usePreferences();
  const isWide = useMediaQuery('(min-width: 48rem)', true);
  const scrollMargin = useTopOfBody(tableRef);
  const virtualizer = useWindowVirtualizer<HTMLTableRowElement>({
    count: rows.length,
    estimateSize: () => (isWide ? rowHeights[density] : rowHeights.narrow),
    overscan: 12,
    scrollMargin,
    // The bar and the head lie over the top of the window.
    scrollPaddingStart: isWide ? 84 : 48,
    scrollPaddingEnd: 48,
    rangeExtractor: ({ startIndex, endIndex, overscan, count }) => {
      const from = Math.max(0, startIndex - overscan);
      const to = Math.min(count - 1, endIndex + overscan);
      const indexes = Array.from({ length: Math.max(0, to - from + 1) }, (_, step) => from + step);
      const isFocusOutside =
        focusedIndex !== null && focusedIndex < count && (focusedIndex < from || focusedIndex > to);
      return isFocusOutside ? [...indexes, focusedIndex].sort((a, b) => a - b) : indexes;
    },
  });
  // Rows that are not drawn have an estimated height, which is another one on a narrow screen.
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, isWide, density]);
  const items = virtualizer.getVirtualItems();
  const endOf = (order: number) => items[order]?.end ?? scrollMargin;
  const scrolled = virtualizer.scrollOffset ?? 0;
  return {
    items,
    topIndex: items.find((item) => item.end > scrolled)?.index ?? 0,
    gapBefore: (order) => (items[order]?.start ?? scrollMargin) - endOf(order - 1),
    gapAfter: virtualizer.getTotalSize() + scrollMargin - endOf(items.length - 1),
    measure: virtualizer.measureElement,
    scrollToIndex: (index) => virtualizer.scrollToIndex(index),
  };
}

/** How far down the page the rows begin, in pixels; it changes when what is above them does. */
function useTopOfBody(tableRef: RefObject<HTMLTableElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const table = tableRef.current;
    if (table === null) return;
    const measure = () => {
      const body = table.tBodies[0] ?? table;
      setTop(Math.round(body.getBoundingClientRect().top + window.scrollY));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [tableRef]);
  return top;
}
