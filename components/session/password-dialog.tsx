'use client';

import { Toast } from '@base-ui/react/toast';
import { useRef, useState } from 'react';
import { useTranslations } from 'use-intl';

import { passwordCharactersMin } from '@/lib/contract/access-fields';
import { isOutcomeUnknown, type ApiError } from '@/lib/queries/api-error';
import { changePasswordOptions } from '@/lib/queries/sign-in';

import { DialogButtons } from '../ui/dialog-buttons';
import { Modal } from '../ui/modal';
import { ProblemNote } from '../ui/problem-note';
import { useSendOnce } from '../ui/use-send-once';
import { CredentialField } from './credential-field';
import { SignInProblem, useWaitSeconds } from './sign-in-problem';
import { useWrongPassword } from './use-wrong-password';

interface PasswordDialogProps {
  readonly email: string;
  readonly onClose: () => void;
  readonly finalFocus: () => HTMLElement | boolean;
}

/** One's own password. It wants the one so far, and ends the sessions elsewhere: somebody else may have learned it. */
export function PasswordDialog({ email, onClose, finalFocus }: PasswordDialogProps) {
  const t = useTranslations('session');
  const form = usePasswordChange(onClose);
  const { current, next, wrong, error, isSending, waitSeconds } = form;
  return (
    <Modal
      title={t('passwordTitle')}
      onClose={onClose}
      isBusy={isSending}
      initialFocus={form.currentRef}
      finalFocus={finalFocus}
      className="sm:w-[30rem]"
    >
      <form
        method="post"
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          form.submit();
        }}
      >
        <p>{t('passwordText')}</p>
        {/* For password managers, which keep a password with its name. */}
        <input type="hidden" name="email" autoComplete="username" value={email} readOnly />
        <CredentialField
          kind="password"
          name="current"
          label={t('currentPassword')}
          value={current}
          autoComplete="current-password"
          onValue={form.setCurrent}
          error={wrong.current}
          inputRef={form.currentRef}
        />
        <CredentialField
          kind="password"
          name="new"
          label={t('newPassword')}
          value={next}
          autoComplete="new-password"
          onValue={form.setNext}
          hint={t('passwordHint', { min: passwordCharactersMin })}
          error={wrong.next}
          inputRef={form.nextRef}
        />
        {error !== null && !isSending && <ChangeProblem error={error} waitSeconds={waitSeconds} />}
        <DialogButtons
          cancel={t('keepPassword')}
          act={t(isSending ? 'changing' : 'change')}
          isSending={isSending}
          onCancel={onClose}
        />
      </form>
    </Modal>
  );
}

/** What was typed, what is wrong with it, and what the server said to it. */
function usePasswordChange(onClose: () => void) {
  const t = useTranslations('session');
  const { add } = Toast.useToastManager();
  const [currentRef, nextRef] = [useRef<HTMLInputElement>(null), useRef<HTMLInputElement>(null)];
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [isTried, setTried] = useState(false);
  /** The password that the server said is not the current one. */
  const [refused, setRefused] = useState<string | null>(null);
  const change = useSendOnce(changePasswordOptions, {
    onAnswer() {
      onClose();
      add({ description: t('passwordChanged'), timeout: 8_000 });
    },
    onRefused(error, { currentPassword }) {
      const isWrong = error.errors.some(({ field }) => field === 'currentPassword');
      setRefused(isWrong ? currentPassword : null);
      if (isWrong) currentRef.current?.select();
    },
  });
  const waitSeconds = useWaitSeconds(change.error);
  const weak = useWrongPassword(next);
  const wrongNow = {
    current: current === '' ? t('currentMissing') : refused === current ? t('currentWrong') : null,
    next: weak ?? (next === current ? t('samePassword') : null),
  };

  function submit() {
    setTried(true);
    if (change.isSending || waitSeconds > 0) return;
    if (wrongNow.current !== null) currentRef.current?.focus();
    else if (wrongNow.next !== null) nextRef.current?.focus();
    else change.send({ currentPassword: current, newPassword: next });
  }

  return {
    ...{ current, setCurrent, currentRef, next, setNext, nextRef, submit, waitSeconds },
    wrong: isTried ? wrongNow : { current: null, next: null },
    /** What the fields do not say themselves. */
    error: refused === null ? change.error : null,
    isSending: change.isSending,
  };
}

interface ChangeProblemProps {
  readonly error: ApiError;
  readonly waitSeconds: number;
}

function ChangeProblem({ error, waitSeconds }: ChangeProblemProps) {
  const t = useTranslations('session');
  if (error.code === 'too-many-requests') {
    return <SignInProblem error={error} waitSeconds={waitSeconds} />;
  }
  if (!isOutcomeUnknown(error)) return <ProblemNote what={t('notChanged')} error={error} />;
  return (
    <div className="flex flex-col gap-1">
      <ProblemNote what={t('maybeChanged')} error={error} />
      <p className="ps-3.5">{t('maybeChangedText')}</p>
    </div>
  );
}
