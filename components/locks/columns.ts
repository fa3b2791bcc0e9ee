import type { ListSortField } from '@/lib/contract/list-query';

import { extraColumns, type ExtraColumn } from '../shell/preferences';

export type ColumnKey = 'state' | 'resource' | 'owner' | 'track' | 'left' | 'asking' | ExtraColumn;

export interface Column {
  readonly key: ColumnKey;
  readonly sort?: ListSortField;
  /** Numbers and durations stand at the end of their column. */
  readonly isAtEnd?: boolean;
  /** Width and where it is shown; the row's cells repeat it. */
  readonly className: string;
}

/** What a narrow window leaves out is on the lock's own page and in tooltips. */
const all: readonly Column[] = [
  { key: 'state', className: 'w-34' },
  { key: 'resource', sort: 'resource', className: '' },
  { key: 'owner', sort: 'owner', className: 'w-[15%]' },
  { key: 'client', className: 'w-[10%] max-[69rem]:hidden' },
  { key: 'track', className: 'w-[23%] max-[82rem]:w-[20%] max-[60rem]:md:hidden' },
  { key: 'left', sort: 'expires_at', className: 'w-28', isAtEnd: true },
  { key: 'acquired', sort: 'acquired_at', className: 'w-40 max-[75rem]:hidden' },
  { key: 'expires', className: 'w-40 max-[69rem]:hidden' },
  { key: 'fence', sort: 'fencing_token', className: 'w-20 max-[69rem]:hidden', isAtEnd: true },
  // Wide enough for the actions to lie over it alone.
  { key: 'asking', className: 'w-36 pe-5 max-xl:hidden' },
];

const extra: readonly ColumnKey[] = extraColumns;

/** The columns in their order: those that are always there, and those that were switched on. */
export function columnsWith(chosen: readonly ExtraColumn[]): readonly Column[] {
  const wanted: readonly ColumnKey[] = chosen;
  return all.filter(({ key }) => !extra.includes(key) || wanted.includes(key));
}

export const cellClass = 'border-b border-hair px-2 py-1 align-middle';

/** Of a column's head and of each of its cells. */
export function classOfColumn({ className, isAtEnd = false }: Column): string {
  return `${className} ${isAtEnd ? 'text-end' : 'text-start'}`;
}

/** Of each cell by its column. */
export const classOfCell = Object.fromEntries(
  all.map((column) => [column.key, `${cellClass} ${classOfColumn(column)}`]),
);

/**
 * On a wide screen the actions take no room: they come over the end of the row that is pointed at. On others, and where
 * nothing can hover, they have a column.
 */
export const actionsClass = 'w-36 pe-3 sm:pe-5 xl:pointer-fine:w-0 xl:pointer-fine:p-0';
