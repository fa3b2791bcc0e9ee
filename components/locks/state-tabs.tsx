'use client';

import { useTranslations } from 'use-intl';

import type { CountsOnWire } from '@/lib/contract/answers';
import { limits } from '@/lib/contract/limits';
import { lockTabs, type LocksPage, type LockTab } from '@/lib/queries/list-locks';

import { StateGlyph } from '../lease/state-glyph';
import { useCount } from './use-count';

interface StateTabsProps {
  readonly tab: LockTab;
  readonly page: LocksPage | null;
  readonly onTab: (tab: LockTab) => void;
}

const always: readonly LockTab[] = ['all', 'held', 'expired'];

/** Which locks to list, with how many there are; the rarer kinds are offered when there are any. */
export function StateTabs({ tab, page, onTab }: StateTabsProps) {
  const t = useTranslations('tabs');
  const count = useCount(page?.counts_capped ?? false);
  const offered = lockTabs.filter(
    (known) =>
      always.includes(known) || known === tab || (page !== null && countOf(known, page.counts) > 0),
  );
  return (
    <nav aria-label={t('label')} className="-mx-3 overflow-x-auto px-3 sm:-mx-5 sm:px-5">
      <ul className="flex gap-1 border-b border-hair">
        {offered.map((known) => (
          <li key={known}>
            <button
              type="button"
              aria-current={known === tab ? 'page' : undefined}
              onClick={() => onTab(known)}
              className="-mb-px flex h-9 items-center gap-1.5 border-b-2 border-transparent px-2.5 whitespace-nowrap text-dim -outline-offset-2 hover:text-ink aria-[current]:border-ink aria-[current]:font-strong aria-[current]:text-ink"
            >
              {known !== 'all' && (
                <span className={toneOf(known)}>
                  <StateGlyph name={known} />
                </span>
              )}
              {t(known)}
              {page !== null && <span>{count(countOf(known, page.counts))}</span>}
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function countOf(tab: LockTab, counts: CountsOnWire): number {
  switch (tab) {
    case 'all':
      return counts.active + counts.expired;
    case 'held':
      return counts.active;
    case 'expired':
    case 'expiring':
    case 'silent':
    case 'closed':
    case 'asked':
      return counts[tab];
  }
}

function toneOf(tab: LockTab): string {
  if (tab === 'expiring' || tab === 'silent') return 'text-amber';
  return tab === 'asked' ? 'text-violet' : '';
}

/** How many rows the tab has in all; null when the server has counted to its limit and no further. */
export function totalOf(tab: LockTab, page: LocksPage): number | null {
  const total = countOf(tab, page.counts);
  return page.counts_capped && total >= limits.countMax ? null : total;
}
