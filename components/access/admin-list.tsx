'use client';

import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode, Ref } from 'react';
import { useTranslations } from 'use-intl';

import type { ServerAnchor } from '@/lib/queries/server-anchor';

import { AppBar } from '../shell/app-bar';
import { livenessOf } from '../shell/live-status';
import { Button } from '../ui/button';
import { LoadingRows } from '../ui/loading-rows';
import { ProblemNote } from '../ui/problem-note';
import { ServerClock } from '../ui/server-clock';
import { usePaused } from '../ui/use-paused';
import { useStickyError } from '../ui/use-sticky-error';
import { useTimes } from '../ui/use-times';

interface Sighting {
  readonly anchor: ServerAnchor;
}

interface AdminListProps<Seen extends Sighting> {
  /** Where its words stand in the catalogue. */
  readonly words: 'apiKeys' | 'members';
  readonly list: UseQueryResult<Seen>;
  /** The button that adds to it. */
  readonly addLabel: string;
  readonly addRef: Ref<HTMLButtonElement>;
  readonly onAdd: () => void;
  readonly dialogs: ReactNode;
  readonly children: (seen: Seen) => ReactNode;
}

/** The page of what admins keep: its head, what was last read of it, and whether that is current. */
export function AdminList<Seen extends Sighting>(props: AdminListProps<Seen>) {
  const { words, list, addLabel, addRef, onAdd, dialogs, children } = props;
  const t = useTranslations(words);
  const times = useTimes();
  const isPaused = usePaused();
  const error = useStickyError(list);
  const seen = list.data ?? null;
  const nowMs = seen?.anchor.serverMs ?? null;
  const liveness = livenessOf({ asOfMs: nowMs, isFailing: error !== null, isPaused });
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
            <Button
              ref={addRef}
              kind="primary"
              aria-haspopup="dialog"
              disabled={seen === null}
              onClick={onAdd}
            >
              {addLabel}
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
        {seen === null && error === null && <LoadingRows label={t('loading')} />}
        {seen !== null && children(seen)}
      </main>
      {dialogs}
    </ServerClock>
  );
}
