'use client';

import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';

import { parseSort, type ListSortField } from '@/lib/contract/list-query';
import type { LockSort } from '@/lib/queries/list-locks';

import { useTimes } from '../ui/use-times';
import { nextSort } from './use-filters';

interface Column {
  readonly key:
    'state' | 'resource' | 'owner' | 'acquired' | 'expires' | 'left' | 'fence' | 'asking';
  readonly sort?: ListSortField;
  /** Numbers and durations stand at the end of their column. */
  readonly isAtEnd?: boolean;
  /** Width and where it is shown; the row's cells repeat it. */
  readonly className: string;
}

/** What a narrow window leaves out is on the lock's own page and in tooltips. */
export const columns: readonly Column[] = [
  { key: 'state', className: 'w-34' },
  { key: 'resource', sort: 'resource', className: '' },
  { key: 'owner', sort: 'owner', className: 'w-[15%]' },
  { key: 'acquired', sort: 'acquired_at', className: 'w-34 max-[69rem]:hidden' },
  { key: 'expires', sort: 'expires_at', className: 'w-34 max-[56rem]:hidden' },
  { key: 'left', className: 'w-26', isAtEnd: true },
  { key: 'fence', sort: 'fencing_token', className: 'w-20 max-[75rem]:hidden', isAtEnd: true },
  { key: 'asking', className: 'w-20 pe-5 max-xl:hidden' },
];

/** Of a column's head and of each of its cells. */
export function classOfColumn({ className, isAtEnd = false }: Column): string {
  return `${className} ${isAtEnd ? 'text-end' : 'text-start'}`;
}

/** With the checkbox before and the actions behind them. */
export const columnCount = columns.length + 2;

/**
 * On a wide screen the actions take no room: they come over the end of the row that is pointed at, where nothing stands
 * that changes with time. On others, and where nothing can hover, they have a column.
 */
export const actionsClass = 'w-36 pe-3 sm:pe-5 xl:pointer-fine:w-0 xl:pointer-fine:p-0';

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
        {columns.map((column) => (
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
      className={`${cellClass} ${classOfColumn(column)}`}
    >
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
