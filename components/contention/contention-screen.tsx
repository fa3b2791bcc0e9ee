'use client';

import { useQuery } from '@tanstack/react-query';
import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { useTranslations } from 'use-intl';

import { statsRanges } from '@/lib/contract/stats';
import { statsOptions } from '@/lib/queries/contention';

import { ReadPage } from '../shell/read-page';
import { ChoiceButtons } from '../ui/choice-buttons';
import { usePaused } from '../ui/use-paused';
import { BucketStrips } from './bucket-strips';
import { BucketTable } from './bucket-table';
import { StatsSentence } from './stats-sentence';
import { TopContended } from './top-contended';

const rangeParser = parseAsStringLiteral(statsRanges).withDefault('1h');

/** Where callers are in each other's way: how often, at which locks, and how long those are held. */
export function ContentionScreen() {
  const t = useTranslations('contention');
  const isPaused = usePaused();
  const [range, setRange] = useQueryState(
    'range',
    rangeParser.withOptions({ history: 'push', clearOnDefault: true }),
  );
  const sighting = useQuery(statsOptions(range, { isPaused }));
  const ranges = (
    <ChoiceButtons
      label={t('rangeLabel')}
      choices={statsRanges}
      chosen={range}
      onChoose={(chosen) => void setRange(chosen)}
      textOf={(known) => t(`range.${known}`)}
    />
  );
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
