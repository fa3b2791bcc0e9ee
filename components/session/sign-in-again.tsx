'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';

import { meQuery } from '@/lib/queries/me';

import { Cover } from '../ui/cover';
import type { Person } from './session-context';
import { SignInForm } from './sign-in-form';

/** The session ended while somebody worked here: signed in again in place, so that nothing typed is lost. */
export function SignInAgain({ before }: { readonly before: Person }) {
  const t = useTranslations('session');
  const queryClient = useQueryClient();
  return (
    <Cover title={t('againTitle')}>
      <p>{t('againText')}</p>
      <SignInForm
        emailBefore={before.email}
        isInPlace
        // An answer that was on its way must not put the former person back.
        onSignedIn={() => void queryClient.refetchQueries({ queryKey: meQuery.queryKey })}
      />
    </Cover>
  );
}
