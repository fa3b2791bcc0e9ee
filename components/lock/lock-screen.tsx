'use client';

import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { useState } from 'react';
import { useTranslations } from 'use-intl';

import { lockOptions, type LockSighting } from '@/lib/queries/inspect-lock';

import { useEnding } from '../release/use-ending';
import { AppBar } from '../shell/app-bar';
import { HelpDialog } from '../shell/help-dialog';
import { livenessOf } from '../shell/live-status';
import { usePreferences } from '../shell/preferences-context';
import { LoadingRows } from '../ui/loading-rows';
import { copyText } from '../ui/copy-button';
import { ProblemNote } from '../ui/problem-note';
import { ServerClock } from '../ui/server-clock';
import { togglePaused, usePaused } from '../ui/use-paused';
import { useStickyError } from '../ui/use-sticky-error';
import { useShortcuts } from '../ui/use-shortcuts';
import { LockActions } from './lock-actions';
import { LockAskers } from './lock-askers';
import { LockFacts } from './lock-facts';
import { LockHead } from './lock-head';
import { LockHistory } from './lock-history';
import { LockNotices } from './lock-notices';
import { LockUsual } from './lock-usual';

/** One resource by its name, whatever the name is: its lock now, if any, and its history. */
export function LockScreen({ resource }: { readonly resource: string }) {
  const t = useTranslations('lock');
  const isPaused = usePaused();
  const [isHelpOpen, setHelpOpen] = useState(false);
  const sighting = useQuery(lockOptions(resource, { isPaused }));
  const ending = useEnding({ onCleared: focusMain });
  const data: LockSighting | null = sighting.data ?? null;
  const lock = data?.lock ?? null;
  const error = useStickyError(sighting);

  useLockKeys({ resource, onHelp: () => setHelpOpen(true) });
  const liveness = livenessOf({
    asOfMs: data?.anchor.serverMs ?? null,
    isFailing: error !== null,
    isPaused,
  });
  return (
    <ServerClock anchor={data?.anchor ?? null} isFrozen={liveness.kind !== 'live'}>
      <AppBar liveness={liveness} />
      <main id="main" tabIndex={-1} className="outline-none">
        <div className="flex flex-col gap-4 px-3 py-4 sm:px-5">
          <Link href="/locks" className="w-fit text-dim underline-offset-2 hover:underline">
            ‹ {t('back')}
          </Link>
          <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
            <LockHead resource={resource} lock={lock} isKnown={data !== null} />
            {data !== null && (
              <LockActions resource={resource} sighting={data} onEnd={ending.ask} />
            )}
          </div>
          {error !== null && (
            <ProblemNote
              what={t('notRead')}
              error={error}
              onRetry={() => void sighting.refetch()}
            />
          )}
          {lock !== null && <LockNotices lock={lock} />}
          {lock !== null && <LockFacts lock={lock} />}
          {data !== null && (
            <div className="grid gap-x-8 gap-y-4 lg:grid-cols-2">
              <LockUsual resource={resource} lock={lock} />
              <LockAskers resource={resource} ownersTotal={lock?.contention?.owners ?? 0} />
            </div>
          )}
        </div>
        {data === null && error === null && <LoadingRows label={t('loading')} />}
        <LockHistory resource={resource} />
      </main>
      {ending.dialogs}
      {isHelpOpen && <HelpDialog onClose={() => setHelpOpen(false)} />}
    </ServerClock>
  );
}

/** The button that was pressed has gone with the lock. */
function focusMain() {
  document.getElementById('main')?.focus();
}

interface LockKeysOptions {
  readonly resource: string;
  readonly onHelp: () => void;
}

function useLockKeys({ resource, onHelp }: LockKeysOptions): void {
  const { areSingleKeysOn, zone, setZone } = usePreferences();
  useShortcuts(
    {
      c: () => void copyText(resource),
      r: () => document.querySelector<HTMLElement>('[data-lock-end]')?.click(),
      ' ': togglePaused,
      z: () => setZone(zone === 'utc' ? 'local' : 'utc'),
      '?': onHelp,
    },
    areSingleKeysOn,
  );
}
