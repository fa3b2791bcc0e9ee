'use client';

import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';

import type { ServerAnchor } from '@/lib/queries/server-anchor';

import { LoadingRows } from '../ui/loading-rows';
import { ProblemNote } from '../ui/problem-note';
import { ServerClock } from '../ui/server-clock';
import { usePaused } from '../ui/use-paused';
import { useStickyError } from '../ui/use-sticky-error';
import { useTimes } from '../ui/use-times';
import { AppBar } from './app-bar';
import { livenessOf } from './live-status';

export interface Sighting {
  readonly anchor: ServerAnchor;
}

interface ReadPageProps<Seen extends Sighting> {
  /** Where its words stand in the catalogue. */
  readonly words: 'apiKeys' | 'members' | 'contention' | 'activity' | 'status';
  readonly sighting: UseQueryResult<Seen>;
  /** Beside its title. */
  readonly action: ReactNode;
  /** Below its title, whether anything was read or not. */
  readonly head?: ReactNode;
  readonly dialogs?: ReactNode;
  readonly children: (seen: Seen) => ReactNode;
}

/** A page of one thing that is read: its head, what was last read, and whether that is current. */
export function ReadPage<Seen extends Sighting>(props: ReadPageProps<Seen>) {
  const { words, sighting, action, head, dialogs, children } = props;
  const t = useTranslations(words);
  const times = useTimes();
  const isPaused = usePaused();
  const error = useStickyError(sighting);
  const seen = sighting.data ?? null;
  const asOfMs = seen?.anchor.serverMs ?? null;
  const liveness = livenessOf({ asOfMs, isFailing: error !== null, isPaused });
  return (
    <ServerClock anchor={seen?.anchor ?? null} isFrozen={liveness.kind !== 'live'}>
      <AppBar liveness={liveness} />
      <main id="main" tabIndex={-1} className="outline-none">
        <div className="flex flex-col gap-3 px-3 pt-4 pb-3 sm:px-5">
          <div className="flex flex-wrap items-start justify-between gap-3">
            <div className="flex max-w-3xl flex-col gap-0.5">
              <h1 className="text-name font-strong">{t('title')}</h1>
              <p className="text-dim">{t('text')}</p>
            </div>
            {action}
          </div>
          {head}
          {error !== null && (
            <ProblemNote
              what={
                asOfMs === null ? t('notRead') : t('notReadSince', { time: times.clock(asOfMs) })
              }
              error={error}
              onRetry={() => void sighting.refetch()}
            />
          )}
        </div>
        {seen === null && error === null && <LoadingRows label={t('loading')} />}
        {seen !== null && children(seen)}
      </main>
      {dialogs}
    </ServerClock>
  );
}
