'use client';

import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';

import { lockEventsOptions } from '@/lib/queries/lock-events';

import { LoadMore } from '../ui/load-more';
import { ProblemNote } from '../ui/problem-note';
import { usePaused } from '../ui/use-paused';
import { useStickyError } from '../ui/use-sticky-error';
import { EventLine } from './event-line';

/** What has happened to the resource, newest first; it is kept after the lock is gone. */
export function LockHistory({ resource }: { readonly resource: string }) {
  const t = useTranslations('history');
  const isPaused = usePaused();
  const history = useInfiniteQuery(lockEventsOptions(resource, { isPaused }));
  const error = useStickyError(history);
  const events = history.data?.pages.flatMap((page) => page.events) ?? [];
  return (
    <section id="history" aria-labelledby="history-title" className="scroll-mt-12">
      <h2 id="history-title" className="border-b border-hair px-3 pb-1.5 font-strong sm:px-5">
        {t('title')}
      </h2>
      {error !== null && (
        <div className="px-3 py-3 sm:px-5">
          <ProblemNote what={t('notRead')} error={error} onRetry={() => void history.refetch()} />
        </div>
      )}
      {history.data !== undefined && events.length === 0 && (
        <p className="px-3 py-3 text-dim sm:px-5">{t('empty')}</p>
      )}
      <ol>
        {events.map((event) => (
          <EventLine key={event.id} event={event} />
        ))}
      </ol>
      <LoadMore pages={history} />
    </section>
  );
}
