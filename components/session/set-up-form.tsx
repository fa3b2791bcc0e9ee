'use client';

import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { z } from 'zod';

import type { linkAnswer } from '@/lib/contract/access-answers';
import { emailField, passwordCharactersMin } from '@/lib/contract/access-fields';
import { setUpOptions, signInOptions } from '@/lib/queries/sign-in';

import { Button } from '../ui/button';
import { ProblemNote } from '../ui/problem-note';
import { useSendOnce } from '../ui/use-send-once';
import { useTimes } from '../ui/use-times';
import { CredentialField } from './credential-field';
import { Entrance } from './entrance';
import { useWrongPassword } from './use-wrong-password';

type Link = z.infer<typeof linkAnswer>;

interface SetUpFormProps {
  readonly token: string;
  readonly link: Link;
}

export function SetUpForm({ token, link }: SetUpFormProps) {
  const t = useTranslations('session');
  const isFirst = link.kind === 'first-admin';
  const [email, setEmail] = useState(link.email ?? '');
  const [password, setPassword] = useState('');
  const [isTried, setTried] = useState(false);
  const { isSending, error, send } = useSetUp();
  const wrong = {
    email: isFirst && !emailField.safeParse(email.trim()).success ? t('emailWrong') : null,
    password: useWrongPassword(password),
  };

  return (
    <Entrance title={t(isFirst ? 'setUpTitle' : 'memberTitle')}>
      <Purpose link={link} />
      <form
        method="post"
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          setTried(true);
          if (isSending || wrong.email !== null || wrong.password !== null) return;
          send({ token, password, email: isFirst ? email.trim() : null });
        }}
      >
        {isFirst ? (
          <CredentialField
            kind="email"
            label={t('email')}
            value={email}
            autoComplete="username"
            onValue={setEmail}
            error={isTried ? wrong.email : null}
          />
        ) : (
          // For password managers, which keep a password with its name.
          <input type="hidden" name="email" autoComplete="username" value={email} readOnly />
        )}
        <CredentialField
          kind="password"
          label={t('newPassword')}
          value={password}
          autoComplete="new-password"
          onValue={setPassword}
          hint={t('passwordHint', { min: passwordCharactersMin })}
          error={isTried ? wrong.password : null}
        />
        {error !== null && !isSending && <ProblemNote what={t('notSet')} error={error} />}
        <Button type="submit" kind="primary" aria-disabled={isSending} className="h-9">
          {isSending ? t('settingUp') : t('setUp')}
        </Button>
      </form>
    </Entrance>
  );
}

/** For whom the link is, and until when. */
function Purpose({ link }: { readonly link: Link }) {
  const t = useTranslations('session');
  const { moment, zoneLabel } = useTimes();
  if (link.kind === 'first-admin') return <p>{t('setUpText')}</p>;
  return (
    <p className="wrap-anywhere">
      {t('memberText', {
        email: link.email ?? '',
        role: t(`role.${link.role}`),
        time: `${moment(Date.parse(link.expires_at), 0)} ${zoneLabel}`,
      })}
    </p>
  );
}

/** Sets the password, and signs in with it: the link itself opens no session. */
function useSetUp() {
  const go = (path: string) => () => window.location.replace(path);
  const signIn = useSendOnce(signInOptions, {
    onAnswer: go('/locks'),
    // The password is set all the same.
    onRefused: go('/sign-in'),
  });
  const setUp = useSendOnce(setUpOptions, {
    onAnswer: ({ member }, { password }) => signIn.send({ email: member.email, password }),
  });
  const isSending = setUp.isSending || setUp.answer !== null;
  return { isSending, error: setUp.error, send: setUp.send };
}
