'use client';

import { useTranslations } from 'use-intl';

import type { ApiError } from '@/lib/queries/api-error';
import type { LocksPage, LockTab } from '@/lib/queries/list-locks';

import type { Liveness } from '../shell/live-status';
import { ProblemNote } from '../ui/problem-note';
import { useTimes } from '../ui/use-times';
import { CountsSentence } from './counts-sentence';
import { StateTabs } from './state-tabs';

interface ListHeadProps {
  readonly page: LocksPage | null;
  readonly tab: LockTab;
  readonly error: ApiError | null;
  readonly liveness: Liveness;
  readonly onTab: (tab: LockTab) => void;
  readonly onRetry: () => void;
}

export function ListHead({ page, tab, error, liveness, onTab, onRetry }: ListHeadProps) {
  const t = useTranslations('list');
  const times = useTimes();
  const since = liveness.kind === 'reconnecting' ? times.clock(liveness.asOfMs) : null;
  return (
    <div className="flex flex-col gap-3">
      <h1 className="sr-only">{t('title')}</h1>
      {error !== null && (
        <ProblemNote
          what={since === null ? t('notRead') : t('notReadSince', { time: since })}
          error={error}
          onRetry={onRetry}
        />
      )}
      <div className="min-h-[1.375rem]">{page !== null && <CountsSentence page={page} />}</div>
      <StateTabs tab={tab} page={page} onTab={onTab} />
    </div>
  );
}
