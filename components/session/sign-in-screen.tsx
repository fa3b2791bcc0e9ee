'use client';

import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslations } from 'use-intl';

import { returnPath } from '@/lib/contract/return-path';
import { meQuery } from '@/lib/queries/me';
import { signInWaysOptions } from '@/lib/queries/sign-in';

import { Entrance } from './entrance';
import { SignInForm } from './sign-in-form';

interface SignInScreenProps {
  /** Where the person came from, as the address says it: anybody may have written that. */
  readonly to: string | null;
  /** What a failed sign-in at the other provider left in the address. */
  readonly providerError: string | null;
}

export function SignInScreen({ to, providerError }: SignInScreenProps) {
  const t = useTranslations('session');
  const ways = useQuery(signInWaysOptions);
  const me = useQuery({ ...meQuery, refetchOnWindowFocus: true });
  const destination = returnPath(to) ?? '/locks';
  const isSignedIn = me.data !== undefined && !me.isError;
  // A page load, so that nothing that was read before this sign-in stays in memory.
  useEffect(() => {
    if (isSignedIn) window.location.replace(destination);
  }, [isSignedIn, destination]);
  return (
    <Entrance title={t('signInTitle')}>
      {ways.data?.is_set_up === false && (
        <p role="status" className="border-s-2 border-amber ps-3">
          {t('notSetUp')}
        </p>
      )}
      {providerError !== null && (
        <p role="alert" className="border-s-2 border-red ps-3">
          {t('providerFailed', { reason: t(`reason.${reasonOf(providerError)}`) })}
        </p>
      )}
      <SignInForm to={destination} onSignedIn={() => window.location.replace(destination)} />
      <p className="text-meta text-dim">{t('lost')}</p>
    </Entrance>
  );
}

function reasonOf(error: string): 'noRole' | 'linked' | 'other' {
  if (error === 'no_role') return 'noRole';
  return error === 'account_not_linked' ? 'linked' : 'other';
}
