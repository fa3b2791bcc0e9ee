'use client';

import Link from 'next/link';
import { useLocale, useTranslations } from 'use-intl';

import type { StatsOnWire } from '@/lib/contract/stats';
import { lockHref } from '@/lib/queries/paths';

import { CutText } from '../ui/cut-text';

const cellClass = 'border-b border-hair px-2 py-1.5 align-middle';

/** The locks at which most attempts were denied; each leads to its page. */
export function TopContended({ stats }: { readonly stats: StatsOnWire }) {
  const t = useTranslations('contention');
  const format = new Intl.NumberFormat(useLocale());
  const most = stats.top_contended[0]?.denials ?? 1;
  return (
    <section aria-labelledby="top-title">
      <h2 id="top-title" className="pb-1 font-strong">
        {t('top')}
      </h2>
      {stats.top_contended.length === 0 ? (
        <p className="border-y border-hair bg-surface px-2 py-3 text-dim">{t('topNone')}</p>
      ) : (
        <table className="w-full table-fixed border-t border-hair bg-surface text-cell">
          <thead>
            <tr className="text-meta text-dim">
              <th scope="col" className={`${cellClass} text-start font-strong`}>
                {t('lock')}
              </th>
              <th
                scope="col"
                className={`${cellClass} w-24 text-end font-strong sm:w-1/3 sm:text-start`}
              >
                {t('denied')}
              </th>
              <th scope="col" className={`${cellClass} w-18 text-end font-strong sm:w-32`}>
                {t('lostLeases')}
              </th>
            </tr>
          </thead>
          <tbody>
            {stats.top_contended.map(({ resource, denials, lost_leases }) => (
              <tr key={resource} data-contended={resource}>
                <td className={cellClass}>
                  <Link
                    href={lockHref(resource)}
                    prefetch={false}
                    className="flex min-w-0 py-0.5 underline-offset-2 hover:underline"
                  >
                    <CutText text={resource} isPath />
                  </Link>
                </td>
                <td className={cellClass}>
                  <Bar share={denials / most} text={format.format(denials)} />
                </td>
                <td className={`${cellClass} text-end`}>{format.format(lost_leases)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

/** A count, and beside it its share of the largest. */
function Bar({ share, text }: { readonly share: number; readonly text: string }) {
  return (
    <span className="flex items-center justify-end gap-2 text-violet">
      <span className="w-14 shrink-0 text-end">{text}</span>
      <span aria-hidden="true" className="min-w-0 flex-1 max-sm:hidden">
        <span className="block h-2 min-w-0.5 bg-current" style={{ width: `${100 * share}%` }} />
      </span>
    </span>
  );
}
