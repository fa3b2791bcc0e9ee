'use client';

import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';

import {
  newerCount,
  shownActivityOptions,
  type ActivityFilters,
  type ActivitySighting,
} from '@/lib/queries/activity';

import { EventLine } from '../lock/event-line';
import { NameLink } from '../locks/name-link';
import { Button } from '../ui/button';
import { LoadMore } from '../ui/load-more';
import { ProblemNote } from '../ui/problem-note';
import { useStickyError } from '../ui/use-sticky-error';
import { UserText } from '../ui/user-text';

interface ActivityListProps {
  readonly filters: ActivityFilters;
  readonly newest: ActivitySighting;
}

/** What is shown stands still under the hand: what is newer is counted above it, and comes when it is asked for. */
export function ActivityList({ filters, newest }: ActivityListProps) {
  const t = useTranslations('activity');
  const queryClient = useQueryClient();
  const options = shownActivityOptions(filters, newest);
  const history = useInfiniteQuery(options);
  const error = useStickyError(history);
  const events = history.data.pages.flatMap((page) => page.events);
  const newer = newerCount(newest, history.data.pages[0]);
  const showNewer = () =>
    queryClient.setQueryData(options.queryKey, { pages: [newest], pageParams: [null] });
  return (
    <section aria-label={t('title')}>
      <div role="status" className="px-3 pb-2 empty:hidden sm:px-5">
        {newer !== 0 && (
          <Button size="small" onClick={showNewer}>
            {newer === null ? t('manyNewer') : t('newer', { n: newer })}
          </Button>
        )}
      </div>
      {events.length === 0 && (
        <p className="border-y border-hair bg-surface px-3 py-3 text-dim sm:px-5">{t('empty')}</p>
      )}
      <ol className="border-t border-hair empty:hidden">
        {events.map((event) => (
          <EventLine key={event.id} event={event}>
            <span className="flex w-full min-w-0 sm:w-72">
              {event.resource !== null && <NameLink resource={event.resource} />}
              {event.subject !== null && event.subject !== event.actor && (
                <UserText>{event.subject}</UserText>
              )}
            </span>
          </EventLine>
        ))}
      </ol>
      {error !== null && (
        <div className="px-3 py-3 sm:px-5">
          <ProblemNote
            what={t('notRead')}
            error={error}
            onRetry={() => void history.fetchNextPage()}
          />
        </div>
      )}
      <LoadMore pages={history} />
    </section>
  );
}
