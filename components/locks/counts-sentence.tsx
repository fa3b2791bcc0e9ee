'use client';

import { useTranslations } from 'use-intl';

import type { LocksPage } from '@/lib/queries/list-locks';

import { useCount } from './use-count';

/** The list in one sentence. */
export function CountsSentence({ page }: { readonly page: LocksPage }) {
  const t = useTranslations('counts');
  const count = useCount(page.counts_capped);
  const { active, expired, expiring, asked } = page.counts;
  return (
    <p>
      {t('held', { n: active, text: count(active) })}
      {expiring > 0 && t('expiring', { n: expiring, text: count(expiring) })}
      {t('stop')} {t('expired', { n: expired, text: count(expired) })}{' '}
      {asked > 0 && t('asked', { n: asked, text: count(asked) })}
    </p>
  );
}
