'use client';

import {
  Fragment,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
  type FocusEvent,
  type PointerEvent,
  type ReactNode,
  type Ref,
} from 'react';
import { useTranslations } from 'use-intl';

import type { LockSort } from '@/lib/queries/list-locks';
import type { DrawnRow } from '@/lib/queries/still-rows';

import { usePreferences } from '../shell/preferences-context';
import { columnsWith } from './columns';
import { LocksTableHead } from './locks-table-head';
import { useRowVirtualizer } from './use-row-virtualizer';

export interface TableHandle {
  /** Puts the keyboard's focus on a row, scrolling to it; out of range, on the nearest. */
  readonly focusRow: (index: number) => void;
}

interface LocksTableProps {
  readonly rows: readonly DrawnRow[];
  /** How many there are in all, as far as is known; -1 when not. */
  readonly rowsTotal: number;
  readonly sort: LockSort;
  readonly onSort: (sort: LockSort) => void;
  readonly areAllSelected: boolean;
  readonly onSelectShown: (isSelected: boolean) => void;
  readonly onHand: (isIn: boolean) => void;
  readonly onTopIndex: (index: number) => void;
  readonly onNearEnd: () => void;
  readonly isDimmed: boolean;
  readonly ref: Ref<TableHandle>;
  /** Within reach of the hand: going there is not leaving the table. */
  readonly children: ReactNode;
  readonly renderRow: (
    row: DrawnRow,
    index: number,
    measure: (row: HTMLTableRowElement | null) => void,
  ) => ReactNode;
}

/** A real table of which only the rows in view are drawn; empty rows of the right height stand for the others. */
export function LocksTable(props: LocksTableProps) {
  const t = useTranslations('table');
  const { ref, rows, rowsTotal, isDimmed, renderRow, onTopIndex, onNearEnd, children } = props;
  const { sort, onSort, areAllSelected, onSelectShown } = props;
  const tableRef = useRef<HTMLTableElement>(null);
  const { focusedIndex, handlers } = useHand(props.onHand);
  const { items, topIndex, gapBefore, gapAfter, measure, scrollToIndex } = useRowVirtualizer({
    tableRef,
    rows,
    focusedIndex,
  });

  const isNearEnd = (items.at(-1)?.index ?? 0) >= rows.length - 20;
  useLayoutEffect(() => onTopIndex(topIndex), [topIndex, onTopIndex]);
  useLayoutEffect(() => {
    if (isNearEnd) onNearEnd();
  }, [isNearEnd, rows.length, onNearEnd]);
  useImperativeHandle(ref, () => ({
    focusRow(index) {
      const target = Math.min(Math.max(index, 0), rows.length - 1);
      if (focusLink(tableRef.current, target)) return;
      scrollToIndex(target);
      // It is drawn after the window has scrolled.
      requestAnimationFrame(() => requestAnimationFrame(() => focusLink(tableRef.current, target)));
    },
  }));

  return (
    <div {...handlers}>
      <table
        ref={tableRef}
        role="table"
        aria-label={t('label')}
        aria-rowcount={rowsTotal < 0 ? -1 : rowsTotal + 1}
        aria-busy={isDimmed}
        className={`w-full border-separate border-spacing-0 text-cell max-md:block md:table-fixed ${isDimmed ? 'opacity-60' : ''}`}
      >
        <LocksTableHead {...{ sort, onSort, areAllSelected, onSelectShown }} />
        <tbody role="rowgroup" className="max-md:block">
          {items.map((item, order) => {
            const row = rows[item.index];
            if (row === undefined) return null;
            return (
              <Fragment key={row.lock.resource}>
                <Gap height={gapBefore(order)} />
                {renderRow(row, item.index, measure)}
              </Fragment>
            );
          })}
          <Gap height={gapAfter} />
        </tbody>
      </table>
      {children}
    </div>
  );
}

function Gap({ height }: { readonly height: number }) {
  // With the checkbox before and the actions behind them.
  const columnCount = columnsWith(usePreferences().columns).length + 2;
  if (height <= 0) return null;
  return (
    <tr aria-hidden="true" className="max-md:block">
      <td colSpan={columnCount} className="p-0 max-md:block" style={{ height }} />
    </tr>
  );
}

/** Tells whether the pointer or the focus is in the table, and on which row the focus is. */
function useHand(onHand: (isIn: boolean) => void) {
  const [focusedIndex, setFocusedIndex] = useState<number | null>(null);
  return {
    focusedIndex,
    handlers: {
      onPointerEnter: () => onHand(true),
      onPointerLeave(event: PointerEvent<HTMLElement>) {
        if (!event.currentTarget.contains(document.activeElement)) onHand(false);
      },
      onFocus(event: FocusEvent<HTMLElement>) {
        onHand(true);
        const index = event.target.closest('tr')?.dataset['index'];
        setFocusedIndex(index === undefined ? null : Number(index));
      },
      onBlur(event: FocusEvent<HTMLElement>) {
        if (event.currentTarget.contains(event.relatedTarget)) return;
        setFocusedIndex(null);
        if (!event.currentTarget.matches(':hover')) onHand(false);
      },
    },
  };
}

function focusLink(table: HTMLTableElement | null, index: number): boolean {
  const link = table?.querySelector<HTMLElement>(`tr[data-index="${index}"] a[data-row-link]`);
  link?.focus();
  return link !== null && link !== undefined;
}
