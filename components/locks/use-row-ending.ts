'use client';

import { useCallback, useState, type ReactNode, type RefObject } from 'react';
import { useTranslations } from 'use-intl';

import type { LockOnWire } from '@/lib/contract/answers';
import type { DrawnRow } from '@/lib/queries/still-rows';

import { useEnding } from '../release/use-ending';
import { plainText } from '../ui/plain-text';
import type { TableHandle } from './locks-table';

interface RowEndingOptions {
  readonly rows: readonly DrawnRow[] | null;
  readonly tableRef: RefObject<TableHandle | null>;
  readonly onCleared: (lock: LockOnWire) => void;
}

export interface RowEnding {
  readonly onEnd: (row: DrawnRow, button: Element | null) => void;
  readonly dialogs: ReactNode;
  /** For screen readers: what was cleared. */
  readonly said: string;
}

/** Ends the lease of a row; the focus of a row that goes passes to the one that takes its place. */
export function useRowEnding({ rows, tableRef, onCleared }: RowEndingOptions): RowEnding {
  const t = useTranslations('announce');
  const [said, setSaid] = useState('');
  const { ask, dialogs } = useEnding({
    onCleared(lock) {
      const index = rows?.findIndex((row) => row.lock.resource === lock.resource) ?? -1;
      onCleared(lock);
      setSaid(t('cleared', { resource: plainText(lock.resource) }));
      requestAnimationFrame(() => tableRef.current?.focusRow(index));
    },
  });
  const onEnd = useCallback(
    ({ lock, anchor }: DrawnRow, button: Element | null) => ask({ lock, anchor, button }),
    [ask],
  );
  return { onEnd, dialogs, said };
}
