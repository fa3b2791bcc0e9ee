'use client';

import { useRef, useState, type ReactNode } from 'react';
import { useTranslations } from 'use-intl';

import type { ApiError } from '@/lib/queries/api-error';
import { acceptableReason } from '@/lib/queries/reason';

import { Button } from '../ui/button';
import { FullName } from '../ui/full-name';
import { Modal } from '../ui/modal';
import { ProblemNote } from '../ui/problem-note';
import { ReasonField } from './reason-field';

interface ReasonDialogProps {
  readonly title: string;
  readonly resource: string;
  readonly children: ReactNode;
  readonly cancel: string;
  readonly act: string;
  readonly acting: string;
  readonly isSending: boolean;
  /** What came in between, in place of the question. */
  readonly changed: ReactNode;
  readonly notDone: string;
  readonly error: ApiError | null;
  readonly onCancel: () => void;
  readonly onAct: (reason: string) => void;
}

/** A question that asks for a reason and for nothing else. */
export function ReasonDialog(props: ReasonDialogProps) {
  const t = useTranslations('changed');
  const [reason, setReason] = useState('');
  const cancelRef = useRef<HTMLButtonElement>(null);
  const kept = acceptableReason(reason);
  const isReady = kept !== null && !props.isSending;
  return (
    <Modal
      title={props.title}
      onClose={props.onCancel}
      isBusy={props.isSending}
      initialFocus={cancelRef}
    >
      {props.changed !== null ? (
        <div className="flex flex-col gap-4">
          <div role="alert">{props.changed}</div>
          <div className="flex justify-end">
            <Button onClick={props.onCancel}>{t('close')}</Button>
          </div>
        </div>
      ) : (
        <form
          className="flex flex-col gap-4"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            if (isReady) props.onAct(kept);
          }}
        >
          <p className="text-title">
            <FullName resource={props.resource} />
          </p>
          {props.children}
          <ReasonField reason={reason} onReason={setReason} />
          {props.error !== null && <ProblemNote what={props.notDone} error={props.error} />}
          <div className="flex flex-wrap justify-end gap-x-4 gap-y-2">
            <Button ref={cancelRef} onClick={props.onCancel} disabled={props.isSending}>
              {props.cancel}
            </Button>
            <Button type="submit" aria-disabled={!isReady}>
              {props.isSending ? props.acting : props.act}
            </Button>
          </div>
        </form>
      )}
    </Modal>
  );
}
