'use client';

import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';

import { limits } from '@/lib/contract/limits';
import { ApiError } from '@/lib/queries/api-error';
import { fetchExpired, type LockFilters, type LocksPage } from '@/lib/queries/list-locks';
import type { DrawnRow } from '@/lib/queries/still-rows';

import { ProblemNote } from '../ui/problem-note';
import { BulkClearDialog } from './bulk-clear-dialog';
import { SelectionBar } from './selection-bar';
import { useCount } from './use-count';
import type { Selection } from './use-selection';

interface BulkClearProps {
  readonly rows: readonly DrawnRow[];
  readonly page: LocksPage | null;
  readonly filters: LockFilters;
  readonly selection: Selection;
}

/** From a selection to what became of it. */
export function BulkClear({ rows, page, filters, selection }: BulkClearProps) {
  const t = useTranslations('selection');
  const count = useCount(page?.counts_capped ?? false);
  /** The server's time of the list when the question was asked. */
  const [askedOfMs, setAskedOfMs] = useState<number | null>(null);
  const selectAll = useMutation({
    mutationKey: ['select-expired'],
    networkMode: 'always',
    // As many as are counted; the API clears them in groups.
    mutationFn: () => fetchExpired(filters, limits.countMax),
    onSuccess: selection.select,
  });
  const { selected } = selection;
  if (selected.size === 0 || page === null) return null;

  const live = rows.filter(({ lock }) => lock.state === 'active' && selected.has(lock.resource));
  const liveNames = new Set(live.map(({ lock }) => lock.resource));
  const expired = [...selected]
    .filter(([resource]) => !liveNames.has(resource))
    .map(([resource, fencingToken]) => ({ resource, fencingToken }));
  const shown = rows.map(({ lock }) => lock);
  const matching = page.counts.expired;
  const isMoreMatching = filters.tab === 'expired' && matching > expired.length;
  return (
    <>
      <SelectionBar
        selectedCount={selected.size}
        shownCount={shown.length}
        areShownSelected={shown.every(({ resource }) => selected.has(resource))}
        matchingText={isMoreMatching ? count(matching) : null}
        isSelectingAll={selectAll.isPending}
        onSelectShown={() => selection.select(shown)}
        onSelectMatching={() => selectAll.mutate()}
        onClear={() => setAskedOfMs(page.anchor.serverMs)}
        onDeselect={selection.clear}
      />
      {selectAll.error instanceof ApiError && (
        <div className="px-3 pb-3 sm:px-5">
          <ProblemNote what={t('notSelected')} error={selectAll.error} />
        </div>
      )}
      {askedOfMs !== null && (
        <BulkClearDialog
          expired={expired}
          liveCount={live.length}
          filters={filters}
          asOfMs={askedOfMs}
          onClose={(isDone) => {
            setAskedOfMs(null);
            if (!isDone) return;
            selection.clear();
            // The bar from which it was asked goes with the selection.
            requestAnimationFrame(() => document.getElementById('main')?.focus());
          }}
        />
      )}
    </>
  );
}
