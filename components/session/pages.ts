'use client';

import { useTranslations } from 'use-intl';

import { usePerson } from './session-context';

export interface PageInBar {
  readonly href: string;
  readonly label: string;
}

/** The pages that the bar leads to. Keys and members are an admin's; others would only be refused there. */
export function usePages(): readonly PageInBar[] {
  const t = useTranslations('bar');
  const isAdmin = usePerson()?.role === 'admin';
  return [
    { href: '/locks', label: t('locks') },
    { href: '/contention', label: t('contention') },
    { href: '/activity', label: t('activity') },
    ...(isAdmin
      ? [
          { href: '/keys', label: t('apiKeys') },
          { href: '/settings/members', label: t('members') },
        ]
      : []),
    { href: '/status', label: t('status') },
  ];
}
