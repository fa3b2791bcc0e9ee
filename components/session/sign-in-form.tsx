'use client';

import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useTranslations } from 'use-intl';

import { signInOptions, signInWaysOptions } from '@/lib/queries/sign-in';

import { Button } from '../ui/button';
import { useSendOnce } from '../ui/use-send-once';
import { CredentialField } from './credential-field';
import { ProviderButton } from './provider-button';
import { SignInProblem, useWaitSeconds } from './sign-in-problem';
import { useHydrated } from './use-hydrated';

interface SignInFormProps {
  readonly emailBefore?: string;
  /** Over a page that must stay: the other provider is then opened beside it. */
  readonly isInPlace?: boolean;
  /** Where the other provider sends the person back to. */
  readonly to?: string;
  readonly onSignedIn: () => void;
}

/** E-mail and password, or the other provider if there is one. A refusal takes nothing away that was typed. */
export function SignInForm({
  emailBefore = '',
  isInPlace = false,
  to,
  onSignedIn,
}: SignInFormProps) {
  const t = useTranslations('session');
  const ways = useQuery(signInWaysOptions);
  const hasProvider = ways.data?.provider === true;
  return (
    <div className="flex flex-col gap-4">
      {hasProvider && (
        <>
          <ProviderButton isInPlace={isInPlace} to={to ?? '/locks'} />
          <p className="text-center text-meta text-dim">{t('or')}</p>
        </>
      )}
      <PasswordForm emailBefore={emailBefore} onSignedIn={onSignedIn} />
      {isInPlace && <p className="text-meta text-dim">{t('againElsewhere')}</p>}
    </div>
  );
}

interface PasswordFormProps {
  readonly emailBefore: string;
  readonly onSignedIn: () => void;
}

function PasswordForm({ emailBefore, onSignedIn }: PasswordFormProps) {
  const t = useTranslations('session');
  const isHydrated = useHydrated();
  const [email, setEmail] = useState(emailBefore);
  const [password, setPassword] = useState('');
  const passwordRef = useRef<HTMLInputElement>(null);
  const signIn = useSendOnce(signInOptions, {
    onAnswer: onSignedIn,
    onRefused(error) {
      if (error.code === 'unauthenticated') passwordRef.current?.select();
    },
    // In place the person may turn out to be another, or the session end again.
    mayRepeat: () => true,
  });
  const { error, isSending } = signIn;
  const waitSeconds = useWaitSeconds(error);
  const isReady = isHydrated && !isSending && waitSeconds === 0;
  return (
    <form
      // Should the browser itself ever send it: not with a password in the address.
      method="post"
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) signIn.send({ email: email.trim(), password });
      }}
    >
      <CredentialField
        kind="email"
        label={t('email')}
        value={email}
        autoComplete="username"
        onValue={setEmail}
        isFirst={emailBefore === ''}
      />
      <CredentialField
        kind="password"
        label={t('password')}
        value={password}
        autoComplete="current-password"
        onValue={setPassword}
        isFirst={emailBefore !== ''}
        inputRef={passwordRef}
      />
      {error !== null && !isSending && <SignInProblem error={error} waitSeconds={waitSeconds} />}
      <Button
        type="submit"
        kind="primary"
        disabled={!isHydrated}
        aria-disabled={!isReady}
        className="h-9"
      >
        {isSending ? t('signingIn') : t('signIn')}
      </Button>
    </form>
  );
}
