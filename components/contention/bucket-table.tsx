'use client';

import { useState } from 'react';
import { useLocale, useTranslations } from 'use-intl';

import type { StatsOnWire } from '@/lib/contract/stats';

import { Moment } from '../ui/moment';
import { useFineDuration, useTimes } from '../ui/use-times';

const cellClass = 'border-b border-hair px-2 py-1 text-end whitespace-nowrap first:text-start';

/** The bars in numbers, newest first. */
export function BucketTable({ stats }: { readonly stats: StatsOnWire }) {
  const t = useTranslations('contention');
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="w-fit py-1 text-dim hover:text-ink">{t('asTable')}</summary>
      {isOpen && <Rows stats={stats} />}
    </details>
  );
}

function Rows({ stats }: { readonly stats: StatsOnWire }) {
  const t = useTranslations('contention');
  const { zoneLabel } = useTimes();
  const duration = useFineDuration();
  const format = new Intl.NumberFormat(useLocale());
  const columns = [
    'denials',
    'acquires',
    'lost_leases',
    'forced',
    'heldMedian',
    'heldP95',
  ] as const;
  return (
    <div className="overflow-x-auto" role="region" aria-label={t('asTable')} tabIndex={0}>
      <table className="w-full bg-surface text-cell">
        <thead>
          <tr className="text-meta text-dim">
            <th scope="col" className={cellClass}>
              {t('from', { zone: zoneLabel })}
            </th>
            {columns.map((column) => (
              <th key={column} scope="col" className={cellClass}>
                {t(`strip.${column}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {stats.buckets.toReversed().map((bucket) => (
            <tr key={bucket.at}>
              <th scope="row" className={`${cellClass} font-normal`}>
                <Moment at={bucket.at} />
              </th>
              <td className={cellClass}>{format.format(bucket.denials)}</td>
              <td className={cellClass}>{format.format(bucket.acquires)}</td>
              <td className={cellClass}>{format.format(bucket.lost_leases)}</td>
              <td className={cellClass}>{format.format(bucket.forced_releases)}</td>
              <td className={cellClass}>
                {bucket.held_ms === null ? '–' : duration(bucket.held_ms.median)}
              </td>
              <td className={cellClass}>
                {bucket.held_ms === null ? '–' : duration(bucket.held_ms.p95)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
