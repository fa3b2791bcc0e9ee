'use client';

import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';

import { parseSort } from '@/lib/contract/list-query';
import type { LockSort } from '@/lib/queries/list-locks';

import { TrackAxis } from '../lease/track-axis';
import { usePreferences } from '../shell/preferences-context';
import { useTimes } from '../ui/use-times';
import { actionsClass, classOfColumn, columnsWith, type Column } from './columns';
import { nextSort } from './use-filters';

interface LocksTableHeadProps {
  readonly sort: LockSort;
  readonly onSort: (sort: LockSort) => void;
  readonly areAllSelected: boolean;
  readonly onSelectShown: (isSelected: boolean) => void;
}

const cellClass =
  'h-9 border-b border-hair bg-ground px-2 align-middle text-meta font-strong text-dim';

export function LocksTableHead(props: LocksTableHeadProps) {
  const t = useTranslations('table');
  const { zoneLabel } = useTimes();
  const { columns } = usePreferences();
  return (
    <thead role="rowgroup" className="sticky top-11 z-10 max-md:hidden">
      <tr role="row" aria-rowindex={1}>
        <th role="columnheader" scope="col" className={`${cellClass} w-10 ps-3 sm:ps-5`}>
          <label className="-m-1 block w-fit p-1">
            <input
              type="checkbox"
              aria-label={t('selectShown')}
              checked={props.areAllSelected}
              onChange={(event) => props.onSelectShown(event.target.checked)}
              className="block size-4 accent-blue"
            />
          </label>
        </th>
        {columnsWith(columns).map((column) => (
          <HeadCell key={column.key} column={column} sort={props.sort} onSort={props.onSort}>
            {t(`column.${column.key}`, { zone: zoneLabel })}
          </HeadCell>
        ))}
        <th role="columnheader" scope="col" className={`${cellClass} ${actionsClass}`}>
          <span className="sr-only">{t('column.actions')}</span>
        </th>
      </tr>
    </thead>
  );
}

interface HeadCellProps {
  readonly column: Column;
  readonly sort: LockSort;
  readonly onSort: (sort: LockSort) => void;
  readonly children: string;
}

function HeadCell({ column, sort, onSort, children }: HeadCellProps) {
  const { field, isDescending } = parseSort(sort);
  const isSorted = column.sort !== undefined && column.sort === field;
  const order = isDescending ? 'descending' : 'ascending';
  return (
    <th
      role="columnheader"
      scope="col"
      aria-sort={isSorted ? order : undefined}
      className={`${cellClass} ${classOfColumn(column)} ${column.key === 'track' ? 'relative' : ''}`}
    >
      {column.key === 'track' && <TrackAxis />}
      <SortButton column={column} sort={sort} onSort={onSort}>
        {children}
        {isSorted && <span aria-hidden="true">{isDescending ? ' ▼' : ' ▲'}</span>}
      </SortButton>
    </th>
  );
}

function SortButton({
  column,
  sort,
  onSort,
  children,
}: Omit<HeadCellProps, 'children'> & { children: ReactNode }) {
  const field = column.sort;
  if (column.key === 'track') return <span className="sr-only">{children}</span>;
  if (field === undefined) return <span>{children}</span>;
  return (
    <button
      type="button"
      onClick={() => onSort(nextSort(sort, field))}
      className="-mx-1 inline-flex h-6 items-center gap-1 rounded-control px-1 whitespace-nowrap hover:text-ink"
    >
      {children}
    </button>
  );
}
