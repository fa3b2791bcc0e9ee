'use client';

import { useRef, useState } from 'react';

import { AppBar } from '../shell/app-bar';
import { HelpDialog } from '../shell/help-dialog';
import { livenessOf } from '../shell/live-status';
import { ServerClock } from '../ui/server-clock';
import { usePaused } from '../ui/use-paused';
import { BulkClear } from './bulk-clear';
import { ColumnsButton } from './columns-button';
import { FilterBar } from './filter-bar';
import { ListBody } from './list-body';
import { ListHead } from './list-head';
import type { TableHandle } from './locks-table';
import { useAnnouncements } from './use-announcements';
import { useBusyRows } from './use-busy-rows';
import { useFilters } from './use-filters';
import { useListUnderHand } from './use-list-under-hand';
import { useRowEnding } from './use-row-ending';
import { useRowKeys } from './use-row-keys';

/** Home: all locks, current, searchable, and what an operator may do to them. */
export function LocksScreen() {
  const { filters, setFilters } = useFilters();
  const isPaused = usePaused();
  const [isHelpOpen, setHelpOpen] = useState(false);
  const tableRef = useRef<TableHandle>(null);
  const searchRef = useRef<HTMLInputElement>(null);

  const { list, rows, selection, onHand, onTopIndex, remove } = useListUnderHand(filters);
  const { onEnd, dialogs, said } = useRowEnding({ rows, tableRef, onCleared: remove });
  const onHelp = () => setHelpOpen(true);
  const onToggle = selection.toggle;
  useRowKeys({ rows: rows ?? [], tableRef, searchRef, onToggle, onEnd, onHelp });
  const busyOf = useBusyRows();
  const announced = useAnnouncements(list.isOrderKept ? null : rows, selection.dropped);

  const { newest, error } = list;
  const asOfMs = newest?.anchor.serverMs ?? null;
  const liveness = livenessOf({ asOfMs, isFailing: error !== null, isPaused });
  return (
    <ServerClock anchor={newest?.anchor ?? null} isFrozen={liveness.kind !== 'live'}>
      <AppBar liveness={liveness} />
      <main id="main" tabIndex={-1} className="outline-none">
        <div className="px-3 pt-4 sm:px-5">
          <ListHead
            {...{ error, liveness }}
            page={newest}
            tab={filters.tab}
            onTab={(tab) => setFilters({ tab })}
            onRetry={list.retry}
          />
          <FilterBar filters={filters} onFilters={setFilters} searchRef={searchRef}>
            <ColumnsButton />
          </FilterBar>
        </div>
        <ListBody
          {...{ list, rows, filters, selection, busyOf, tableRef }}
          {...{ onHand, onTopIndex, onEnd, onHelp }}
          onFilters={setFilters}
        />
        <BulkClear rows={rows ?? []} page={newest} filters={filters} selection={selection} />
      </main>
      <Spoken>{announced}</Spoken>
      <Spoken>{said}</Spoken>
      {dialogs}
      {isHelpOpen && <HelpDialog onClose={() => setHelpOpen(false)} />}
    </ServerClock>
  );
}

function Spoken({ children }: { readonly children: string }) {
  return (
    <div role="status" className="sr-only">
      {children}
    </div>
  );
}
