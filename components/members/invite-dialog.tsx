'use client';

import { useRef, useState } from 'react';
import { useTranslations } from 'use-intl';

import type { Role } from '@/lib/contract/access';
import { isOutcomeUnknown } from '@/lib/queries/api-error';
import { inviteOptions, isAddress } from '@/lib/queries/members';

import { Button } from '../ui/button';
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
  const refusedNow = refused?.email === address ? refused.message : null;

  function submit() {
    setLeft(true);
    if (isAddress(address)) invite.send({ email: address, role });
    else emailRef.current?.focus();
  }

  return (
    <Modal
      title={t('title')}
      onClose={onClose}
      isBusy={invite.isSending}
      initialFocus={emailRef}
      className="sm:w-[34rem]"
    >
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <FormField
          label={t('email')}
          hint={t('emailHint')}
          error={
            refusedNow !== null ? (
              <span lang="en">{`${address} ${refusedNow}`}</span>
            ) : isLeft && !isAddress(address) ? (
              t('notAnAddress')
            ) : null
          }
        >
          {(control) => (
            <input
              {...control}
              ref={emailRef}
              type="email"
              value={email}
              onChange={({ target }) => setEmail(target.value)}
              onBlur={() => address !== '' && setLeft(true)}
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              className={inputClass}
            />
          )}
        </FormField>
        <RoleField role={role} onRole={setRole} />
        {invite.error !== null && refused === null && (
          <ProblemNote
            what={t(isOutcomeUnknown(invite.error) ? 'maybeInvited' : 'notInvited')}
            error={invite.error}
          />
        )}
        <div className="flex flex-wrap justify-end gap-x-4 gap-y-2">
          <Button onClick={onClose} disabled={invite.isSending}>
            {t('cancel')}
          </Button>
          <Button type="submit" kind="primary" aria-disabled={invite.isSending}>
            {invite.isSending ? t('inviting') : t('invite')}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
