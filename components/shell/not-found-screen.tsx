'use client';

import Link from 'next/link';
import { useTranslations } from 'use-intl';

import { buttonClass } from '../ui/button';

export function NotFoundScreen() {
  const t = useTranslations('pages');
  return (
    <main id="main" className="flex max-w-2xl flex-col items-start gap-3 px-3 py-8 sm:px-5">
      <h1 className="text-name font-strong">{t('notFound')}</h1>
      <p>{t('notFoundText')}</p>
      <Link href="/locks" className={buttonClass()}>
        {t('toLocks')}
      </Link>
    </main>
  );
}
