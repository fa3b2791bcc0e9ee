'use client';

import { useMemo, useState } from 'react';

import type { LockOnWire } from '@/lib/contract/answers';
import type { LockFilters } from '@/lib/queries/list-locks';
import type { DrawnRow } from '@/lib/queries/still-rows';

import { useLocksList, type LocksList } from './use-locks-list';
import { useSelection, type Selection } from './use-selection';

type Cleared = ReadonlyMap<string, number>;

const nothing: Cleared = new Map();

export interface ListUnderHand {
  readonly list: LocksList;
  /** Null before the first answer for these filters. */
  readonly rows: readonly DrawnRow[] | null;
  readonly selection: Selection;
  readonly onHand: (isIn: boolean) => void;
  readonly onTopIndex: (index: number) => void;
  /** Takes a row away that the operator has cleared. */
  readonly remove: (lock: LockOnWire) => void;
}

/** The list as the operator handles it: held still while pointed at or selected from, and without what was cleared. */
export function useListUnderHand(filters: LockFilters): ListUnderHand {
  const [isHandIn, setHandIn] = useState(false);
  const [topIndex, setTopIndex] = useState(0);
  const [cleared, setCleared] = useState(nothing);
  const [selectedCount, setSelectedCount] = useState(0);

  const isHeldStill = isHandIn || selectedCount > 0;
  const list = useLocksList({ filters, isHeldStill, topIndex });
  const rows = useMemo(() => withoutCleared(list.rows, cleared), [list.rows, cleared]);
  const selection = useSelection(rows);
  // The selection is of rows, and rows are held still by it: what it was decides what is drawn next.
  if (selectedCount !== selection.selected.size) setSelectedCount(selection.selected.size);

  return {
    list,
    rows,
    selection,
    onHand: setHandIn,
    onTopIndex: setTopIndex,
    remove: ({ resource, fencing_token }) =>
      setCleared((before) => new Map(before).set(resource, fencing_token)),
  };
}

/** What the operator has cleared is gone at once, though a hand in the table holds everything else still. */
function withoutCleared(
  rows: readonly DrawnRow[] | null,
  cleared: Cleared,
): readonly DrawnRow[] | null {
  if (cleared.size === 0) return rows;
  return rows?.filter(({ lock }) => cleared.get(lock.resource) !== lock.fencing_token) ?? null;
}
