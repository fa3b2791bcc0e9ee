'use client';

import { parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';

import type { KeyOnWire } from '@/lib/contract/access-answers';
import { searchableText } from '@/lib/queries/key-draft';
import { keyWordOf, type KeyWord } from '@/lib/queries/key-expiry';

export const keyTabs = ['all', 'active', 'soon', 'expired', 'revoked'] as const;
export type KeyTab = (typeof keyTabs)[number];

export interface KeyFilters {
  readonly tab: KeyTab;
  readonly q: string;
}

const parsers = {
  tab: parseAsStringLiteral(keyTabs).withDefault('all'),
  q: parseAsString.withDefault(''),
};

/** The filters live in the URL, as those of the locks do; a secret that was pasted does not. */
export function useKeyFilters() {
  const [filters, setStates] = useQueryStates(parsers, {
    urlKeys: { tab: 'state' },
    clearOnDefault: true,
  });
  return {
    filters,
    setTab: (tab: KeyTab) => void setStates({ tab }, { history: 'push' }),
    setQ: (q: string) => void setStates({ q: searchableText(q) }, { history: 'replace' }),
    clear: () => void setStates({ tab: 'all', q: '' }, { history: 'push' }),
  };
}

/** A key that ends soon is active all the same. */
export function isInTab(tab: KeyTab, word: KeyWord): boolean {
  return tab === 'all' || tab === word || (tab === 'active' && word === 'soon');
}

export function matchingKeys(
  keys: readonly KeyOnWire[],
  { tab, q }: KeyFilters,
  nowMs: number,
): readonly KeyOnWire[] {
  const wanted = q.trim().toLowerCase();
  return keys.filter((key) => {
    if (!isInTab(tab, keyWordOf(key, nowMs))) return false;
    const texts = [key.name, key.client, key.prefix, key.created_by, ...key.patterns];
    return texts.some((text) => text.toLowerCase().includes(wanted));
  });
}
