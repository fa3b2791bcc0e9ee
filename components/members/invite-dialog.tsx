'use client';

import { useRef, useState, type ReactNode, type RefObject } from 'react';
import { useTranslations } from 'use-intl';

import type { Role } from '@/lib/contract/access';
import { isOutcomeUnknown } from '@/lib/queries/api-error';
import { inviteOptions, isAddress } from '@/lib/queries/members';

import { useStayOnPage } from '../access/use-stay-on-page';
import { DialogButtons } from '../ui/dialog-buttons';
import { FormField, inputClass } from '../ui/form-field';
import { Modal } from '../ui/modal';
import { ProblemNote } from '../ui/problem-note';
import { useSendOnce } from '../ui/use-send-once';
import type { NewLink } from './link-dialog';
import { RoleField } from './role-dialog';

interface InviteDialogProps {
  readonly onClose: () => void;
  readonly onMade: (made: NewLink) => void;
  readonly onSettled: () => void;
}

export function InviteDialog({ onClose, onMade, onSettled }: InviteDialogProps) {
  const t = useTranslations('invite');
  const form = useInvite({ onMade, onSettled });
  const { email, address, role, isLeft, refusedNow, problem, isSending, emailRef } = form;
  return (
    <Modal
      title={t('title')}
      onClose={onClose}
      isBusy={isSending}
      initialFocus={emailRef}
      className="sm:w-[34rem]"
    >
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          form.submit();
        }}
      >
        <EmailField
          email={email}
          refused={refusedNow}
          isLeft={isLeft}
          inputRef={emailRef}
          onEmail={form.setEmail}
          onLeave={() => address !== '' && form.setLeft(true)}
        />
        <RoleField role={role} onRole={form.setRole} />
        {problem !== null && (
          <ProblemNote
            what={t(isOutcomeUnknown(problem) ? 'maybeInvited' : 'notInvited')}
            error={problem}
          />
        )}
        <DialogButtons
          cancel={t('cancel')}
          act={isSending ? t('inviting') : t('invite')}
          isSending={isSending}
          onCancel={onClose}
        />
      </form>
    </Modal>
  );
}

/** What was typed, and what the server said to it. */
function useInvite({ onMade, onSettled }: Pick<InviteDialogProps, 'onMade' | 'onSettled'>) {
  const emailRef = useRef<HTMLInputElement>(null);
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const [isLeft, setLeft] = useState(false);
  /** The address that the server refused, and what it said. */
  const [refused, setRefused] = useState<{ email: string; message: string } | null>(null);
  const address = email.trim();
  const invite = useSendOnce(inviteOptions, {
    onAnswer(made) {
      onSettled();
      onMade(made);
    },
    onRefused(error, request) {
      onSettled();
      const message = error.errors.find(({ field }) => field === 'email')?.message;
      setRefused(message === undefined ? null : { email: request.email, message });
      emailRef.current?.focus();
    },
  });
  useStayOnPage(invite.isSending);
  const refusedNow = refused?.email === address ? refused.message : null;

  function submit() {
    setLeft(true);
    if (isAddress(address)) invite.send({ email: address, role });
    else emailRef.current?.focus();
  }

  return {
    email,
    address,
    role,
    isLeft,
    refusedNow,
    isSending: invite.isSending,
    /** What the field does not say itself. */
    problem: refused === null ? invite.error : null,
    emailRef,
    setEmail,
    setRole,
    setLeft,
    submit,
  };
}

interface EmailFieldProps {
  readonly email: string;
  /** The server's own words for this address, which are English. */
  readonly refused: string | null;
  /** Whether it is time to say that it is no address. */
  readonly isLeft: boolean;
  readonly inputRef: RefObject<HTMLInputElement | null>;
  readonly onEmail: (email: string) => void;
  readonly onLeave: () => void;
}

function EmailField(props: EmailFieldProps) {
  const { email, refused, isLeft, inputRef, onEmail, onLeave } = props;
  const t = useTranslations('invite');
  const address = email.trim();
  let error: ReactNode = isLeft && !isAddress(address) ? t('notAnAddress') : null;
  if (refused !== null) error = <span lang="en">{`${address} ${refused}`}</span>;
  return (
    <FormField label={t('email')} hint={t('emailHint')} error={error}>
      {(control) => (
        <input
          {...control}
          ref={inputRef}
          type="email"
          value={email}
          onChange={({ target }) => onEmail(target.value)}
          onBlur={onLeave}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          className={inputClass}
        />
      )}
    </FormField>
  );
}
