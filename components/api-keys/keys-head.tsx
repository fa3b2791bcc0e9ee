'use client';

import { useTranslations } from 'use-intl';

import type { KeyOnWire } from '@/lib/contract/access-answers';
import { keyWordOf } from '@/lib/queries/key-expiry';

import { StateGlyph } from '../lease/state-glyph';
import { keyGlyphs, keyTones } from './key-state';
import { isInTab, keyTabs, type KeyFilters, type KeyTab } from './use-key-filters';

interface KeysTabsProps {
  readonly keys: readonly KeyOnWire[];
  readonly filters: KeyFilters;
  readonly nowMs: number;
  readonly onTab: (tab: KeyTab) => void;
}

const always: readonly KeyTab[] = ['all', 'active', 'revoked'];

/** Which keys to list, with how many there are; the rarer kinds are offered when there are any. */
export function KeysTabs({ keys, filters, nowMs, onTab }: KeysTabsProps) {
  const t = useTranslations('keyState');
  const words = keys.map((key) => keyWordOf(key, nowMs));
  const countOf = (tab: KeyTab) => words.filter((word) => isInTab(tab, word)).length;
  const offered = keyTabs.filter(
    (tab) => always.includes(tab) || tab === filters.tab || countOf(tab) > 0,
  );
  return (
    <nav aria-label={t('label')} className="-mx-3 overflow-x-auto px-3 sm:-mx-5 sm:px-5">
      <ul className="flex gap-1 border-b border-hair">
        {offered.map((tab) => (
          <li key={tab}>
            <button
              type="button"
              aria-current={tab === filters.tab ? 'page' : undefined}
              onClick={() => onTab(tab)}
              className="-mb-px flex h-9 items-center gap-1.5 border-b-2 border-transparent px-2.5 whitespace-nowrap text-dim -outline-offset-2 hover:text-ink aria-[current]:border-ink aria-[current]:font-strong aria-[current]:text-ink"
            >
              {tab !== 'all' && (
                <span className={keyTones[tab]}>
                  <StateGlyph name={keyGlyphs[tab]} />
                </span>
              )}
              {t(tab)} <span>{countOf(tab)}</span>
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}
