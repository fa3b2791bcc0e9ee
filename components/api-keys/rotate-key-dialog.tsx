'use client';

import { useId, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';

import type { KeyOnWire } from '@/lib/contract/access-answers';
import { isOutcomeUnknown, type ApiError } from '@/lib/queries/api-error';
import { rotateKeyOptions } from '@/lib/queries/api-keys';
import { expiryOf, expiryOnWire, type ExpiryDraft } from '@/lib/queries/key-expiry';

import { useStayOnPage } from '../access/use-stay-on-page';
import { usePreferences } from '../shell/preferences-context';
import { DialogButtons } from '../ui/dialog-buttons';
import { inputClass } from '../ui/form-field';
import { Modal } from '../ui/modal';
import { ProblemNote } from '../ui/problem-note';
import { useSendOnce } from '../ui/use-send-once';
import { useDuration } from '../ui/use-times';
import { ExpiryField } from './expiry-field';
import { KeyFacts } from './key-facts';
import type { NewSecret } from './secret-dialog';

interface RotateKeyDialogProps {
  readonly apiKey: KeyOnWire;
  /** The server's time, in milliseconds. */
  readonly nowMs: number;
  readonly onClose: () => void;
  readonly onRotated: (made: NewSecret) => void;
  readonly onSettled: () => void;
}

const overlapsSeconds = [0, 3600, 86_400, 604_800, 2_592_000] as const;
const sameExpiry: ExpiryDraft = { choice: 'same', date: '' };

/** A new secret for the same client: leases go on, and the old secret works for as long as it takes to hand out the new. */
export function RotateKeyDialog(props: RotateKeyDialogProps) {
  const { apiKey, nowMs, onClose, onRotated, onSettled } = props;
  const t = useTranslations('rotate');
  const { zone } = usePreferences();
  const cancelRef = useRef<HTMLButtonElement>(null);
  const [overlapSeconds, setOverlapSeconds] = useState<number>(86_400);
  const [expiryDraft, setExpiryDraft] = useState(sameExpiry);
  const [isLeft, setLeft] = useState(false);
  const rotate = useSendOnce(rotateKeyOptions, {
    onAnswer(made) {
      onSettled();
      onRotated(made);
    },
    onRefused: onSettled,
  });
  useStayOnPage(rotate.isSending);
  const expiry = expiryOf(expiryDraft, zone, nowMs);
  const request = { id: apiKey.id, overlapSeconds, expiresAt: expiryOnWire(expiry) };
  const isWrong = expiry.kind === 'noDate' || expiry.kind === 'past';

  return (
    <Modal
      title={t('title')}
      onClose={onClose}
      isBusy={rotate.isSending}
      initialFocus={cancelRef}
      className="sm:w-[34rem]"
    >
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          setLeft(true);
          if (!isWrong) rotate.send(request);
        }}
      >
        <KeyFacts apiKey={apiKey} />
        <p>{t('text')}</p>
        <OverlapField seconds={overlapSeconds} onSeconds={setOverlapSeconds} />
        <ExpiryField
          draft={expiryDraft}
          expiry={expiry}
          same={apiKey.expires_at}
          isLeft={isLeft}
          refused={null}
          onDraft={setExpiryDraft}
          onLeave={() => setLeft(true)}
        />
        {rotate.error !== null && <RotateProblem error={rotate.error} />}
        <DialogButtons
          cancelRef={cancelRef}
          cancel={t('cancel')}
          act={rotate.isSending ? t('rotating') : t('rotate')}
          isSending={rotate.isSending}
          onCancel={onClose}
        />
      </form>
    </Modal>
  );
}

function RotateProblem({ error }: { readonly error: ApiError }) {
  const t = useTranslations('rotate');
  if (!isOutcomeUnknown(error)) return <ProblemNote what={t('notRotated')} error={error} />;
  return (
    <div className="flex flex-col gap-1">
      <ProblemNote what={t('maybeRotated')} error={error} />
      <p className="ps-3.5">{t('lookInList')}</p>
    </div>
  );
}

interface OverlapFieldProps {
  readonly seconds: number;
  readonly onSeconds: (seconds: number) => void;
}

function OverlapField({ seconds, onSeconds }: OverlapFieldProps) {
  const t = useTranslations('rotate');
  const duration = useDuration();
  const id = useId();
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="w-fit font-strong">
        {t('overlap')}
      </label>
      <select
        id={id}
        value={seconds}
        aria-describedby={`${id}-hint`}
        onChange={({ target }) => onSeconds(Number(target.value))}
        className={`${inputClass} max-w-72`}
      >
        {overlapsSeconds.map((known) => (
          <option key={known} value={known}>
            {known === 0 ? t('atOnce') : t('for', { duration: duration(known * 1000) })}
          </option>
        ))}
      </select>
      <p
        id={`${id}-hint`}
        aria-live="polite"
        className={`text-meta ${seconds === 0 ? 'text-amber' : 'text-dim'}`}
      >
        {seconds === 0 ? t('atOnceHint') : t('overlapHint')}
      </p>
    </div>
  );
}
