'use client';

import { useTranslations } from 'use-intl';

import { Button } from '../ui/button';

/** The page itself broke; the locks are none the worse for it. */
export function ErrorScreen({ onRetry }: { readonly onRetry: () => void }) {
  const t = useTranslations('pages');
  return (
    <main id="main" className="flex max-w-2xl flex-col items-start gap-3 px-3 py-8 sm:px-5">
      <h1 className="text-name font-strong">{t('broken')}</h1>
      <p>{t('brokenText')}</p>
      <Button onClick={onRetry}>{t('retry')}</Button>
    </main>
  );
}
