'use client';

import { Toast } from '@base-ui/react/toast';
import { useMutationState } from '@tanstack/react-query';
import { useCallback, useMemo, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';

import type { LockOnWire } from '@/lib/contract/answers';
import { releaseKey, type ReleaseRequest } from '@/lib/queries/release-lock';
import type { DrawnRow } from '@/lib/queries/still-rows';

import { useEnding } from '../release/use-ending';
import { AppBar } from '../shell/app-bar';
import { HelpDialog } from '../shell/help-dialog';
import { livenessOf } from '../shell/live-status';
import { ServerClock } from '../ui/server-clock';
import { usePaused } from '../ui/use-paused';
import { plainText } from '../ui/plain-text';
import { BulkClear } from './bulk-clear';
import { FilterBar } from './filter-bar';
import { ListBody } from './list-body';
import { ListHead } from './list-head';
import type { RowBusy } from './lock-row';
import type { TableHandle } from './locks-table';
import { useAnnouncements } from './use-announcements';
import { useFilters } from './use-filters';
import { useLocksList } from './use-locks-list';
import { useRowKeys } from './use-row-keys';
import { useSelection } from './use-selection';

/** Home: all locks, current, searchable, and what an operator may do to them. */
export function LocksScreen() {
  const t = useTranslations('announce');
  const { filters, setFilters } = useFilters();
  const isPaused = usePaused();
  const toasts = Toast.useToastManager();
  const [isHandIn, setHandIn] = useState(false);
  const [selectedCount, setSelectedCount] = useState(0);
  const [topIndex, setTopIndex] = useState(0);
  const [cleared, setCleared] = useState<ReadonlyMap<string, number>>(new Map());
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [said, setSaid] = useState('');
  const tableRef = useRef<TableHandle>(null);
  const searchRef = useRef<HTMLInputElement>(null);

  const list = useLocksList({
    filters,
    isHeldStill: isHandIn || selectedCount > 0,
    topIndex,
  });
  const rows = useMemo(() => withoutCleared(list.rows, cleared), [list.rows, cleared]);
  const selection = useSelection(rows);
  if (selectedCount !== selection.selected.size) setSelectedCount(selection.selected.size);

  const ending = useEnding({
    onCleared(lock) {
      const index = rows?.findIndex((row) => row.lock.resource === lock.resource) ?? -1;
      setCleared((before) => new Map(before).set(lock.resource, lock.fencing_token));
      setSaid(t('cleared', { resource: plainText(lock.resource) }));
      // The focus was on the row that goes: it passes to the one that takes its place.
      requestAnimationFrame(() => tableRef.current?.focusRow(index));
    },
  });
  const { ask } = ending;
  const onEnd = useCallback(
    ({ lock, anchor }: DrawnRow, button: Element | null) => ask({ lock, anchor, button }),
    [ask],
  );
  useRowKeys({
    rows: rows ?? [],
    tableRef,
    searchRef,
    onToggle: selection.toggle,
    onEnd,
    onCopied: (resource) => {
      const description = t('copied', { resource: plainText(resource) });
      toasts.add({ description, timeout: 4_000 });
    },
    onHelp: () => setHelpOpen(true),
  });
  const busyOf = useBusyRows();
  const announced = useAnnouncements(list.isOrderKept ? null : rows, selection.dropped);

  const liveness = livenessOf({
    asOfMs: list.newest?.anchor.serverMs ?? null,
    isFailing: list.error !== null,
    isPaused,
  });
  return (
    <ServerClock anchor={list.newest?.anchor ?? null} isFrozen={liveness.kind !== 'live'}>
      <AppBar liveness={liveness} />
      <main id="main" tabIndex={-1} className="outline-none">
        <div className="px-3 pt-4 sm:px-5">
          <ListHead
            page={list.newest}
            tab={filters.tab}
            onTab={(tab) => setFilters({ tab })}
            error={list.error}
            liveness={liveness}
            onRetry={list.retry}
          />
          <FilterBar filters={filters} onFilters={setFilters} searchRef={searchRef} />
        </div>
        <ListBody
          {...{ list, rows, filters, selection, busyOf, tableRef, onEnd }}
          onFilters={setFilters}
          onHand={setHandIn}
          onTopIndex={setTopIndex}
          onHelp={() => setHelpOpen(true)}
        />
        <BulkClear rows={rows ?? []} page={list.newest} filters={filters} selection={selection} />
      </main>
      <div role="status" className="sr-only">
        {announced}
      </div>
      <div role="status" className="sr-only">
        {said}
      </div>
      {ending.dialogs}
      {isHelpOpen && <HelpDialog onClose={() => setHelpOpen(false)} />}
    </ServerClock>
  );
}

/** What the operator has cleared is gone at once, though a hand in the table holds everything else still. */
function withoutCleared(
  rows: readonly DrawnRow[] | null,
  cleared: ReadonlyMap<string, number>,
): readonly DrawnRow[] | null {
  if (cleared.size === 0) return rows;
  return rows?.filter(({ lock }) => cleared.get(lock.resource) !== lock.fencing_token) ?? null;
}

/** Which rows a release or a clear is under way for; they keep their data until the server has answered. */
function useBusyRows(): (lock: LockOnWire) => RowBusy {
  const pending = useMutationState({
    filters: { mutationKey: releaseKey, status: 'pending' },
    select: ({ state }) => releaseRequestOf(state.variables),
  });
  return (lock) => {
    const request = pending.find(
      (sent) =>
        sent?.seen.resource === lock.resource && sent.seen.fencing_token === lock.fencing_token,
    );
    if (request === undefined) return null;
    return request.onlyExpired ? 'clearing' : 'releasing';
  };
}

/** The cache holds what the mutation was called with as `unknown`; only releases are kept under this key. */
function releaseRequestOf(variables: unknown): ReleaseRequest | undefined {
  return variables as ReleaseRequest | undefined;
}
