'use client';

import Link from 'next/link';
import { useLocale, useTranslations } from 'use-intl';

import type { StatsOnWire } from '@/lib/contract/stats';

import { useFineDuration } from '../ui/use-times';

/** The whole of the range in words, and where to look further. */
export function StatsSentence({ stats }: { readonly stats: StatsOnWire }) {
  const t = useTranslations('contention');
  const locale = useLocale();
  const duration = useFineDuration();
  const format = new Intl.NumberFormat(locale);
  const words = (n: number) => ({ n, text: format.format(n) });
  const { held_ms: held } = stats;
  return (
    <div className="flex flex-col gap-1">
      <p role="status">
        {t(stats.is_estimated ? 'acquiresAbout' : 'acquires', words(stats.acquires))}{' '}
        {t('denials', words(stats.denials))} {t('lost', words(stats.lost_leases))}{' '}
        {t('forced', words(stats.forced_releases))}{' '}
        {held === null
          ? t('noneEnded')
          : t('held', { median: duration(held.median), p95: duration(held.p95) })}
      </p>
      {stats.is_estimated && (
        <p className="text-cell text-dim">{t('estimated', words(stats.events_read))}</p>
      )}
      <p>
        <Link href="/locks?state=asked" className="text-blue underline-offset-2 hover:underline">
          {t('askedNow')}
        </Link>
      </p>
    </div>
  );
}
