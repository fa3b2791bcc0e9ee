'use client';

import type { RefObject } from 'react';
import { useTranslations } from 'use-intl';

import type { LockOnWire } from '@/lib/contract/answers';
import type { LockFilters } from '@/lib/queries/list-locks';
import type { DrawnRow } from '@/lib/queries/still-rows';

import { TrackAxis } from '../lease/track-axis';
import { TrackSpan } from '../lease/track-span';
import { Button } from '../ui/button';
import { EmptyList } from './empty-list';
import { ListFoot } from './list-foot';
import { LoadingRows } from '../ui/loading-rows';
import type { RowBusy } from './lock-row';
import { LocksTable, type TableHandle } from './locks-table';
import { totalOf } from './state-tabs';
import type { LocksList } from './use-locks-list';
import { useCount } from './use-count';
import type { Selection } from './use-selection';
import { WatchedRow } from './watched-row';

interface ListBodyProps {
  readonly list: LocksList;
  readonly rows: readonly DrawnRow[] | null;
  readonly filters: LockFilters;
  readonly selection: Selection;
  readonly busyOf: (lock: LockOnWire) => RowBusy;
  readonly tableRef: RefObject<TableHandle | null>;
  readonly onFilters: (changed: Partial<LockFilters>) => void;
  readonly onHand: (isIn: boolean) => void;
  readonly onTopIndex: (index: number) => void;
  readonly onEnd: (row: DrawnRow, button: Element | null) => void;
  readonly onHelp: () => void;
}

/** The four states of the list: on its way, not to be had (told above it), empty, and there. */
export function ListBody(props: ListBodyProps) {
  const { list, rows, filters, selection, busyOf, tableRef } = props;
  const { onFilters, onHand, onTopIndex, onEnd, onHelp } = props;
  const t = useTranslations('list');
  if (rows === null) return list.error === null ? <LoadingRows label={t('loading')} /> : null;
  if (rows.length === 0 && list.waiting === 0) {
    return (
      <div className="border-t border-hair px-3 sm:px-5">
        <EmptyList filters={filters} onFilters={onFilters} />
      </div>
    );
  }
  const total = list.newest === null ? null : totalOf(filters.tab, list.newest);
  return (
    <TrackSpan rows={rows} listKey={JSON.stringify(filters)}>
      <NarrowAxis />
      <LocksTable
        ref={tableRef}
        rows={rows}
        rowsTotal={total === null ? -1 : Math.max(total, rows.length)}
        sort={filters.sort}
        onSort={(sort) => onFilters({ sort })}
        areAllSelected={
          rows.length > 0 && rows.every(({ lock }) => selection.selected.has(lock.resource))
        }
        onSelectShown={(isSelected) =>
          isSelected ? selection.select(rows.map(({ lock }) => lock)) : selection.clear()
        }
        onHand={onHand}
        onTopIndex={onTopIndex}
        onNearEnd={list.loadMore}
        isDimmed={list.isStale}
        renderRow={(row, index, measure) => (
          <WatchedRow
            row={row}
            index={index}
            isSelected={selection.selected.has(row.lock.resource)}
            busy={busyOf(row.lock)}
            measure={measure}
            onToggle={selection.toggle}
            onEnd={onEnd}
          />
        )}
      >
        <WaitingBar list={list} isRaised={selection.selected.size > 0} />
      </LocksTable>
      <ListFoot
        list={list}
        shownCount={rows.length}
        total={total}
        sort={filters.sort}
        onHelp={onHelp}
      />
    </TrackSpan>
  );
}

/** The table has no head on a narrow screen; its axis stays all the same. */
function NarrowAxis() {
  return (
    <div className="sticky top-11 z-10 border-b border-hair bg-ground px-3 md:hidden">
      <div className="relative h-7">
        <TrackAxis />
      </div>
    </div>
  );
}

interface WaitingBarProps {
  readonly list: LocksList;
  /** Over the bar of the selection, which is at the bottom as well. */
  readonly isRaised: boolean;
}

/** "12 new · show": what waits while a hand is in the table, or while the list is too long to keep in order. */
function WaitingBar({ list, isRaised }: WaitingBarProps) {
  const t = useTranslations('list');
  const count = useCount(false);
  if (list.waiting === 0 && !list.isOrderKept) return null;
  return (
    <div
      className={`pointer-events-none sticky z-10 flex justify-center py-2 ${isRaised ? 'bottom-12' : 'bottom-0'}`}
    >
      <Button size="small" className="pointer-events-auto shadow-overlay" onClick={list.show}>
        {list.waiting > 0
          ? t('waiting', { n: list.waiting, text: count(list.waiting) })
          : t('orderKept')}
      </Button>
    </div>
  );
}
