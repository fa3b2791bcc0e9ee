'use client';

import { useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { useTranslations } from 'use-intl';

import { ApiError } from '@/lib/queries/api-error';
import { linkOptions } from '@/lib/queries/sign-in';

import { buttonClass } from '../ui/button';
import { ProblemNote } from '../ui/problem-note';
import { Entrance } from './entrance';
import { SetUpForm } from './set-up-form';

/** A one-time link: it makes the first admin, or sets the password of a member. */
export function SetUpScreen() {
  const t = useTranslations('session');
  const token = useSyncExternalStore(subscribe, tokenInAddress, () => null);
  const link = useQuery({ ...linkOptions(token ?? ''), enabled: token !== null && token !== '' });
  if (token === '') return <NoLink title={t('linkTitle')} text={t('linkNone')} />;
  if (link.data !== undefined && token !== null)
    return <SetUpForm token={token} link={link.data} />;
  if (
    link.error instanceof ApiError &&
    ['not-found', 'invalid-request'].includes(link.error.code)
  ) {
    return <NoLink title={t('linkGone')} text={t('linkGoneText')} />;
  }
  return (
    <Entrance title={t('linkTitle')}>
      {link.error instanceof ApiError ? (
        <ProblemNote
          what={t('linkNotRead')}
          error={link.error}
          onRetry={() => void link.refetch()}
        />
      ) : (
        <p className="late text-dim">{t('linkReading')}</p>
      )}
    </Entrance>
  );
}

function NoLink({ title, text }: { readonly title: string; readonly text: string }) {
  const t = useTranslations('session');
  return (
    <Entrance title={title}>
      <p>{text}</p>
      <a href="/sign-in" className={`${buttonClass()} w-fit`}>
        {t('toSignIn')}
      </a>
    </Entrance>
  );
}

/** It stands after the `#`, which the browser tells no server. */
function tokenInAddress(): string {
  return window.location.hash.slice(1);
}

function subscribe(listener: () => void): () => void {
  window.addEventListener('hashchange', listener);
  return () => window.removeEventListener('hashchange', listener);
}
