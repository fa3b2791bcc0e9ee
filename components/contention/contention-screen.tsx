'use client';

import { useQuery } from '@tanstack/react-query';
import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { useTranslations } from 'use-intl';

import { statsRanges, type StatsRange } from '@/lib/contract/stats';
import { statsOptions } from '@/lib/queries/contention';

import { ReadPage } from '../shell/read-page';
import { usePaused } from '../ui/use-paused';
import { BucketStrips } from './bucket-strips';
import { BucketTable } from './bucket-table';
import { StatsSentence } from './stats-sentence';
import { TopContended } from './top-contended';

const rangeParser = parseAsStringLiteral(statsRanges).withDefault('1h');

/** Where callers are in each other's way: how often, at which locks, and how long those are held. */
export function ContentionScreen() {
  const isPaused = usePaused();
  const [range, setRange] = useQueryState(
    'range',
    rangeParser.withOptions({ history: 'push', clearOnDefault: true }),
  );
  const sighting = useQuery(statsOptions(range, { isPaused }));
  const ranges = <RangeSwitch range={range} onRange={(chosen) => void setRange(chosen)} />;
  return (
    <ReadPage words="contention" sighting={sighting} action={ranges}>
      {(stats) => (
        <div className="flex flex-col gap-4 px-3 pt-1 pb-4 sm:px-5">
          <StatsSentence stats={stats} />
          <BucketStrips stats={stats} />
          <TopContended stats={stats} />
          <BucketTable stats={stats} />
        </div>
      )}
    </ReadPage>
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
