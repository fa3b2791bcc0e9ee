'use client';

import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { useTranslations } from 'use-intl';

import { keysOptions, type KeysSighting } from '@/lib/queries/api-keys';

import { AdminGate } from '../access/admin-gate';
import { AdminList } from '../access/admin-list';
import { SearchBox } from '../access/search-box';
import { Button } from '../ui/button';
import { usePaused } from '../ui/use-paused';
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
  const list = useQuery(keysOptions({ isPaused: usePaused() }));
  const newRef = useRef<HTMLButtonElement>(null);
  const keys = list.data?.keys ?? [];
  const nowMs = list.data?.anchor.serverMs ?? 0;
  const questions = useKeyDialogs({ keys, nowMs, newRef });
  return (
    <AdminList
      words="apiKeys"
      list={list}
      addLabel={t('new')}
      addRef={newRef}
      onAdd={questions.create}
      dialogs={questions.dialogs}
    >
      {(sighting) => <KeysList sighting={sighting} questions={questions} />}
    </AdminList>
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
      <div className="flex flex-col px-3 sm:px-5">
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
