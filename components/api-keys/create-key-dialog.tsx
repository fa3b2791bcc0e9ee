'use client';

import { useRef } from 'react';
import { useTranslations } from 'use-intl';

import type { KeyOnWire } from '@/lib/contract/access-answers';
import { isOutcomeUnknown, type ApiError } from '@/lib/queries/api-error';
import { createKeyOptions } from '@/lib/queries/api-keys';

import { useStayOnPage } from '../access/use-stay-on-page';
import { DialogButtons } from '../ui/dialog-buttons';
import { Modal } from '../ui/modal';
import { ProblemNote } from '../ui/problem-note';
import { useSendOnce } from '../ui/use-send-once';
import { CreateKeyFields } from './create-key-fields';
import { fieldOf, keyFields, useKeyDraft } from './use-key-draft';

interface CreateKeyDialogProps {
  readonly keys: readonly KeyOnWire[];
  /** The server's time, in milliseconds. */
  readonly nowMs: number;
  readonly onClose: () => void;
  readonly onMade: (made: { readonly key: KeyOnWire; readonly secret: string }) => void;
  /** Whatever became of it: the list may have changed. */
  readonly onSettled: () => void;
}

export function CreateKeyDialog(props: CreateKeyDialogProps) {
  const { keys, nowMs, onClose, onMade, onSettled } = props;
  const t = useTranslations('newKey');
  const formRef = useRef<HTMLFormElement>(null);
  const nameRef = useRef<HTMLInputElement>(null);
  const draft = useKeyDraft(nowMs);
  const create = useSendOnce(createKeyOptions, {
    onAnswer(made) {
      onSettled();
      onMade(made);
    },
    onRefused(error) {
      onSettled();
      draft.refuse(error.errors);
      focusField(formRef.current, error.errors.map(fieldOf)[0]);
    },
  });
  useStayOnPage(create.isSending);

  function submit() {
    draft.leave(...keyFields);
    if (draft.wrongFields.length === 0) create.send(draft.request);
    else focusField(formRef.current, draft.wrongFields[0]);
  }

  return (
    <Modal title={t('title')} onClose={onClose} isBusy={create.isSending} initialFocus={nameRef}>
      <form
        ref={formRef}
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <CreateKeyFields draft={draft} keys={keys} nameRef={nameRef} />
        <CreateProblem error={create.error} />
        <DialogButtons
          cancel={t('cancel')}
          act={create.isSending ? t('creating') : t('create')}
          isSending={create.isSending}
          onCancel={onClose}
        />
      </form>
    </Modal>
  );
}

/** What the fields do not say themselves. */
function CreateProblem({ error }: { readonly error: ApiError | null }) {
  const t = useTranslations('newKey');
  if (error === null || error.errors.some((each) => fieldOf(each) !== null)) return null;
  if (!isOutcomeUnknown(error)) return <ProblemNote what={t('notMade')} error={error} />;
  return (
    <div className="flex flex-col gap-1">
      <ProblemNote what={t('maybeMade')} error={error} />
      <p className="ps-3.5">{t('lookInList')}</p>
    </div>
  );
}

function focusField(form: HTMLFormElement | null, field: string | null | undefined): void {
  if (field === null || field === undefined) return;
  form?.querySelector<HTMLElement>(`[name="${field}"]`)?.focus();
}
