'use client';

import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useTranslations } from 'use-intl';

import { activityCsvPath, activityOptions } from '@/lib/queries/activity';

import { ReadPage } from '../shell/read-page';
import { buttonClass } from '../ui/button';
import { usePaused } from '../ui/use-paused';
import { ActivityFilterBar } from './activity-filter-bar';
import { ActivityList } from './activity-list';
import { useActivityFilters } from './use-activity-filters';

/** What has happened, newest first: what people did, what leases went through, what became of keys and people. */
export function ActivityScreen() {
  const t = useTranslations('activity');
  const isPaused = usePaused();
  const { filters, setFilters, clear } = useActivityFilters();
  const sighting = useQuery(activityOptions(filters, { isPaused }));
  const action = (
    <a href={activityCsvPath(filters)} download className={buttonClass()}>
      <Download aria-hidden="true" size={14} />
      {t('export')}
    </a>
  );
  return (
    <ReadPage
      words="activity"
      sighting={sighting}
      action={action}
      head={<ActivityFilterBar filters={filters} onFilters={setFilters} onClear={clear} />}
    >
      {(newest) => <ActivityList key={JSON.stringify(filters)} filters={filters} newest={newest} />}
    </ReadPage>
  );
}
