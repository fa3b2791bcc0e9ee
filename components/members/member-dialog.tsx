'use client';

import { useRef, type ReactNode } from 'react';
import { useTranslations } from 'use-intl';

import type { MemberOnWire } from '@/lib/contract/access-answers';
import { isOutcomeUnknown, type ApiError } from '@/lib/queries/api-error';

import { Button } from '../ui/button';
import { HiddenCharactersMark } from '../ui/hidden-characters';
import { Modal } from '../ui/modal';
import { ProblemNote } from '../ui/problem-note';
import { UserText } from '../ui/user-text';

/** What every question about a member is given. */
export interface MemberQuestionProps {
  readonly member: MemberOnWire;
  readonly isMe: boolean;
  /** Nobody else could let anybody in again: the server refuses then. */
  readonly isLast: boolean;
  readonly onClose: () => void;
  /** Whatever became of it: the list may have changed. */
  readonly onSettled: () => void;
}

interface MemberDialogProps {
  readonly title: string;
  readonly member: MemberOnWire;
  readonly children: ReactNode;
  readonly act: string;
  readonly acting: string;
  readonly kind: 'primary' | 'danger-solid';
  readonly isSending: boolean;
  /** In place of the question, when it can't be asked. */
  readonly impossible: ReactNode;
  readonly error: ApiError | null;
  readonly onClose: () => void;
  /** Null while it can't be sent. */
  readonly onAct: (() => void) | null;
}

/** A question about one person: who it is, what follows, and what became of it. */
export function MemberDialog(props: MemberDialogProps) {
  const t = useTranslations('members');
  const cancelRef = useRef<HTMLButtonElement>(null);
  const { member, isSending, impossible, error, onClose, onAct } = props;
  const isReady = onAct !== null && !isSending;
  return (
    <Modal
      title={props.title}
      role="alertdialog"
      onClose={onClose}
      isBusy={isSending}
      initialFocus={cancelRef}
      className="sm:w-[34rem]"
    >
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) onAct();
        }}
      >
        <p className="flex flex-col border-b border-hair pb-3">
          <span className="text-title font-strong">
            <UserText isProse>{member.name}</UserText>
            <HiddenCharactersMark text={member.name} />
          </span>
          <span className="text-dim">
            <UserText isProse>{member.email}</UserText>
          </span>
        </p>
        {impossible !== null ? <div role="alert">{impossible}</div> : props.children}
        {error !== null && impossible === null && (
          <ProblemNote what={t(isOutcomeUnknown(error) ? 'notKnown' : 'notDone')} error={error} />
        )}
        <div className="flex flex-wrap justify-end gap-x-8 gap-y-2 pt-1">
          <Button ref={cancelRef} onClick={onClose} disabled={isSending}>
            {impossible !== null ? t('close') : t('cancel')}
          </Button>
          {impossible === null && (
            <Button type="submit" kind={props.kind} aria-disabled={!isReady}>
              {isSending ? props.acting : props.act}
            </Button>
          )}
        </div>
      </form>
    </Modal>
  );
}
