'use client';

import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { useTranslations } from 'use-intl';

import { keysOptions, type KeysSighting } from '@/lib/queries/api-keys';

import { AdminGate } from '../access/admin-gate';
import { SearchBox } from '../access/search-box';
import { AppBar } from '../shell/app-bar';
import { livenessOf } from '../shell/live-status';
import { Button } from '../ui/button';
import { LoadingRows } from '../ui/loading-rows';
import { ProblemNote } from '../ui/problem-note';
import { ServerClock } from '../ui/server-clock';
import { usePaused } from '../ui/use-paused';
import { useStickyError } from '../ui/use-sticky-error';
import { useTimes } from '../ui/use-times';
import { KeysTabs } from './keys-head';
import { KeysTable } from './keys-table';
import { useKeyDialogs } from './use-key-dialogs';
import { matchingKeys, useKeyFilters } from './use-key-filters';

/** The keys of services: made, rotated and revoked by admins. */
export function KeysScreen() {
  const t = useTranslations('apiKeys');
  return <AdminGate title={t('title')}>{() => <Keys />}</AdminGate>;
}

function Keys() {
  const t = useTranslations('apiKeys');
  const times = useTimes();
  const isPaused = usePaused();
  const list = useQuery(keysOptions({ isPaused }));
  const error = useStickyError(list);
  const newRef = useRef<HTMLButtonElement>(null);
  const sighting = list.data ?? null;
  const nowMs = sighting?.anchor.serverMs ?? null;
  const questions = useKeyDialogs({ keys: sighting?.keys ?? [], nowMs: nowMs ?? 0, newRef });
  const liveness = livenessOf({ asOfMs: nowMs, isFailing: error !== null, isPaused });
  return (
    <ServerClock anchor={sighting?.anchor ?? null} isFrozen={liveness.kind !== 'live'}>
      <AppBar liveness={liveness} />
      <main id="main" tabIndex={-1} className="outline-none">
        <div className="flex flex-col gap-3 px-3 pt-4 sm:px-5">
          <div className="flex flex-wrap items-start justify-between gap-3">
            <div className="flex max-w-3xl flex-col gap-0.5">
              <h1 className="text-name font-strong">{t('title')}</h1>
              <p className="text-dim">{t('text')}</p>
            </div>
            <Button
              ref={newRef}
              kind="primary"
              aria-haspopup="dialog"
              disabled={sighting === null}
              onClick={questions.create}
            >
              {t('new')}
            </Button>
          </div>
          {error !== null && (
            <ProblemNote
              what={nowMs === null ? t('notRead') : t('notReadSince', { time: times.clock(nowMs) })}
              error={error}
              onRetry={() => void list.refetch()}
            />
          )}
        </div>
        {sighting === null && error === null && <LoadingRows label={t('loading')} />}
        {sighting !== null && <KeysList sighting={sighting} questions={questions} />}
      </main>
      {questions.dialogs}
    </ServerClock>
  );
}

interface KeysListProps {
  readonly sighting: KeysSighting;
  readonly questions: ReturnType<typeof useKeyDialogs>;
}

/** To this the times in the rows are exact, so that they are not all drawn anew with each answer. */
const rowTimeMs = 10_000;

function KeysList({ sighting, questions }: KeysListProps) {
  const t = useTranslations('apiKeys');
  const { filters, setTab, setQ, clear } = useKeyFilters();
  const { keys, anchor } = sighting;
  if (keys.length === 0) {
    return (
      <p role="status" className="px-3 py-6 sm:px-5">
        {t('empty')}
      </p>
    );
  }
  const nowMs = Math.floor(anchor.serverMs / rowTimeMs) * rowTimeMs;
  const shown = matchingKeys(keys, filters, nowMs);
  return (
    <>
      <div className="flex flex-col px-3 pt-3 sm:px-5">
        <KeysTabs keys={keys} filters={filters} nowMs={nowMs} onTab={setTab} />
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3">
          <SearchBox label={t('search')} q={filters.q} onQ={setQ} />
          <p role="status" className="text-dim">
            {t('shown', { shown: shown.length, total: keys.length })}
          </p>
          {shown.length === 0 && <Button onClick={clear}>{t('clearFilters')}</Button>}
        </div>
      </div>
      {shown.length > 0 && (
        <KeysTable
          keys={shown}
          nowMs={nowMs}
          onRotate={questions.rotate}
          onRevoke={questions.revoke}
        />
      )}
    </>
  );
}
