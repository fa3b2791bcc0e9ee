'use client';

import { useLocale, useTranslations } from 'use-intl';

import type { StatsBucketOnWire, StatsOnWire } from '@/lib/contract/stats';

import { useFineDuration, useTimes } from '../ui/use-times';

interface Strip {
  readonly key: 'denials' | 'acquires' | 'lost_leases' | 'heldP95';
  readonly of: (bucket: StatsBucketOnWire) => number;
  readonly tone: string;
}

/** Violet is for contention alone; what is normal has no colour. */
const strips: readonly Strip[] = [
  { key: 'denials', of: ({ denials }) => denials, tone: 'text-violet' },
  { key: 'acquires', of: ({ acquires }) => acquires, tone: 'text-spent' },
  { key: 'lost_leases', of: ({ lost_leases }) => lost_leases, tone: 'text-spent' },
  { key: 'heldP95', of: ({ held_ms }) => held_ms?.p95 ?? 0, tone: 'text-spent' },
];

/** What changed when: a row of bars each, all over one axis of time. The table below says the same in numbers. */
export function BucketStrips({ stats }: { readonly stats: StatsOnWire }) {
  const t = useTranslations('contention');
  const times = useTimes();
  const fine = useFineDuration();
  const format = new Intl.NumberFormat(useLocale());
  const { buckets } = stats;
  const moment = (at: string) => times.moment(Date.parse(at), Date.parse(stats.now));
  const written = (key: Strip['key'], value: number) =>
    key === 'heldP95' ? fine(value) : format.format(value);
  return (
    <section aria-label={t('overTime')} aria-describedby="buckets-note">
      {strips.map(({ key, of, tone }) => {
        const max = Math.max(0, ...buckets.map(of));
        return (
          <div
            key={key}
            data-strip={key}
            className="grid grid-cols-[minmax(0,1fr)_auto] items-end gap-x-4 border-b border-hair py-1.5 sm:grid-cols-[11rem_minmax(0,1fr)_8rem]"
          >
            <h2 className="text-cell sm:self-center">{t(`strip.${key}`)}</h2>
            <Bars
              className={`max-sm:order-3 max-sm:col-span-2 ${tone}`}
              bars={buckets.map((bucket) => ({
                share: max === 0 ? 0 : of(bucket) / max,
                hint: `${moment(bucket.at)} · ${written(key, of(bucket))}`,
              }))}
            />
            <p className="text-end text-cell text-dim sm:self-center">
              {max === 0 ? t('none') : t('highest', { value: written(key, max) })}
            </p>
          </div>
        );
      })}
      <div className="grid py-1 text-meta text-dim sm:grid-cols-[11rem_minmax(0,1fr)_8rem] sm:gap-x-4">
        <p className="flex justify-between sm:col-start-2">
          <span>{moment(stats.since)}</span>
          <span>
            {moment(stats.until)} {times.zoneLabel}
          </span>
        </p>
      </div>
      <p id="buckets-note" className="text-meta text-dim">
        {t('eachBar', { span: fine(stats.bucket_ms) })}
      </p>
    </section>
  );
}

interface BarsProps {
  /** Heights from 0 to 1. */
  readonly bars: readonly { readonly share: number; readonly hint: string }[];
  readonly className: string;
}

const heightPx = 32;

function Bars({ bars, className }: BarsProps) {
  return (
    <svg
      aria-hidden="true"
      viewBox={`0 0 ${bars.length} ${heightPx}`}
      preserveAspectRatio="none"
      className={`block h-8 w-full ${className}`}
    >
      {bars.map(({ share, hint }, place) => {
        // What is not nothing can be seen, however little it is.
        const height = share === 0 ? 0 : Math.max(2, share * heightPx);
        return (
          <g key={place}>
            <title>{hint}</title>
            <rect x={place} width="1" y="0" height={heightPx} fill="transparent" />
            <rect
              x={place + 0.1}
              width="0.8"
              y={heightPx - height}
              height={height}
              fill="currentColor"
            />
          </g>
        );
      })}
    </svg>
  );
}
