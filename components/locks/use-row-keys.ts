'use client';

import { Toast } from '@base-ui/react/toast';
import type { RefObject } from 'react';
import { useTranslations } from 'use-intl';

import type { DrawnRow } from '@/lib/queries/still-rows';

import { usePreferences } from '../shell/preferences-context';
import { copyText } from '../ui/copy-button';
import { plainText } from '../ui/plain-text';
import { togglePaused } from '../ui/use-paused';
import { useShortcuts } from '../ui/use-shortcuts';
import type { TableHandle } from './locks-table';

interface RowKeysOptions {
  readonly rows: readonly DrawnRow[];
  readonly tableRef: RefObject<TableHandle | null>;
  readonly searchRef: RefObject<HTMLInputElement | null>;
  readonly onToggle: (row: DrawnRow) => void;
  readonly onEnd: (row: DrawnRow, button: Element | null) => void;
  readonly onHelp: () => void;
}

/** The keys of the list. They act on the row that has the focus; those that end something only open its question. */
export function useRowKeys(options: RowKeysOptions): void {
  const { rows, tableRef, searchRef } = options;
  const { areSingleKeysOn, zone, setZone } = usePreferences();
  const copyName = useCopyName();

  function onRow(act: (row: DrawnRow, element: Element) => void): boolean {
    const element = focusedRow();
    const row = element === null ? undefined : rows[indexOf(element)];
    if (element === null || row === undefined) return false;
    act(row, element);
    return true;
  }
  function move(step: number) {
    const element = focusedRow();
    tableRef.current?.focusRow(element === null ? 0 : indexOf(element) + step);
  }

  useShortcuts(
    {
      '/': () => {
        searchRef.current?.focus();
        searchRef.current?.select();
      },
      j: () => move(1),
      k: () => move(-1),
      Enter: () =>
        onRow((_, element) => element.querySelector<HTMLElement>('a[data-row-link]')?.click()),
      x: () => onRow((row) => options.onToggle(row)),
      c: () => onRow((row) => void copyName(row.lock.resource)),
      r: () => onRow((row, element) => options.onEnd(row, element.querySelector('[data-row-end]'))),
      ' ': togglePaused,
      z: () => setZone(zone === 'utc' ? 'local' : 'utc'),
      '?': options.onHelp,
    },
    areSingleKeysOn,
  );
}

function useCopyName(): (resource: string) => Promise<void> {
  const t = useTranslations('announce');
  const { add } = Toast.useToastManager();
  return async (resource) => {
    if (!(await copyText(resource))) return;
    add({ description: t('copied', { resource: plainText(resource) }), timeout: 4_000 });
  };
}

function focusedRow(): HTMLElement | null {
  return document.activeElement?.closest<HTMLElement>('tr[data-index]') ?? null;
}

function indexOf(row: HTMLElement): number {
  return Number(row.dataset['index']);
}
