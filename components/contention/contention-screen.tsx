'use client';

import { useQuery } from '@tanstack/react-query';
import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { useTranslations } from 'use-intl';

import { statsRanges, type StatsRange } from '@/lib/contract/stats';
import { statsOptions } from '@/lib/queries/contention';

import { AppBar } from '../shell/app-bar';
import { livenessOf } from '../shell/live-status';
import { LoadingRows } from '../ui/loading-rows';
import { ProblemNote } from '../ui/problem-note';
import { ServerClock } from '../ui/server-clock';
import { usePaused } from '../ui/use-paused';
import { useStickyError } from '../ui/use-sticky-error';
import { useTimes } from '../ui/use-times';
import { BucketStrips } from './bucket-strips';
import { BucketTable } from './bucket-table';
import { StatsSentence } from './stats-sentence';
import { TopContended } from './top-contended';

const rangeParser = parseAsStringLiteral(statsRanges).withDefault('1h');

/** Where callers are in each other's way: how often, at which locks, and how long those are held. */
export function ContentionScreen() {
  const t = useTranslations('contention');
  const times = useTimes();
  const isPaused = usePaused();
  const [range, setRange] = useQueryState(
    'range',
    rangeParser.withOptions({ history: 'push', clearOnDefault: true }),
  );
  const sighting = useQuery(statsOptions(range, { isPaused }));
  const error = useStickyError(sighting);
  const stats = sighting.data ?? null;
  const asOfMs = stats?.anchor.serverMs ?? null;
  const liveness = livenessOf({ asOfMs, isFailing: error !== null, isPaused });
  return (
    <ServerClock anchor={stats?.anchor ?? null} isFrozen={liveness.kind !== 'live'}>
      <AppBar liveness={liveness} />
      <main id="main" tabIndex={-1} className="outline-none">
        <div className="flex flex-col gap-4 px-3 py-4 sm:px-5">
          <div className="flex flex-wrap items-start justify-between gap-3">
            <div className="flex max-w-3xl flex-col gap-0.5">
              <h1 className="text-name font-strong">{t('title')}</h1>
              <p className="text-dim">{t('text')}</p>
            </div>
            <RangeSwitch range={range} onRange={(chosen) => void setRange(chosen)} />
          </div>
          {error !== null && (
            <ProblemNote
              what={
                asOfMs === null ? t('notRead') : t('notReadSince', { time: times.clock(asOfMs) })
              }
              error={error}
              onRetry={() => void sighting.refetch()}
            />
          )}
          {stats !== null && (
            <>
              <StatsSentence stats={stats} />
              <BucketStrips stats={stats} />
              <TopContended stats={stats} />
              <BucketTable stats={stats} />
            </>
          )}
        </div>
        {stats === null && error === null && <LoadingRows label={t('loading')} />}
      </main>
    </ServerClock>
  );
}

interface RangeSwitchProps {
  readonly range: StatsRange;
  readonly onRange: (range: StatsRange) => void;
}

function RangeSwitch({ range, onRange }: RangeSwitchProps) {
  const t = useTranslations('contention');
  return (
    <div role="group" aria-label={t('rangeLabel')} className="flex flex-wrap gap-1">
      {statsRanges.map((known) => (
        <button
          key={known}
          type="button"
          aria-pressed={known === range}
          onClick={() => onRange(known)}
          className="h-8 rounded-control border border-control bg-surface px-2.5 text-cell whitespace-nowrap text-dim hover:text-ink aria-pressed:border-ink aria-pressed:font-strong aria-pressed:text-ink"
        >
          {t(`range.${known}`)}
        </button>
      ))}
    </div>
  );
}
