'use client';

import { useId, useRef, useState, type RefObject } from 'react';
import { useTranslations } from 'use-intl';

import type { LockOnWire } from '@/lib/contract/answers';
import { acceptableReason, reasonLength } from '@/lib/queries/reason';

import { Button } from '../ui/button';
import { useServerMs } from '../ui/server-clock';
import { UserText } from '../ui/user-text';
import { useDuration } from '../ui/use-times';

interface ClearQuestionProps {
  readonly lock: LockOnWire;
  readonly cancelRef?: RefObject<HTMLButtonElement | null>;
  readonly onCancel: () => void;
  readonly onClear: (reason: string | null) => void;
  /** A reason that was written before the lease ran out under the eyes of the reader. */
  readonly reasonBefore?: string;
}

/** What clearing an expired lock means; no typing, for it takes nothing away from anybody. */
export function ClearQuestion(props: ClearQuestionProps) {
  const { lock, cancelRef, onCancel, onClear, reasonBefore = '' } = props;
  const t = useTranslations('clear');
  const [reason, setReason] = useState(reasonBefore);
  const [isUnfolded, setUnfolded] = useState(reasonBefore !== '');
  const inputRef = useRef<HTMLInputElement>(null);
  const nowMs = useServerMs();
  const duration = useDuration();
  const ago = nowMs === null ? '' : duration(nowMs - Date.parse(lock.expires_at));
  const isRefused = reason.trim() !== '' && acceptableReason(reason) === null;

  function unfold() {
    setUnfolded(true);
    requestAnimationFrame(() => inputRef.current?.focus());
  }
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isRefused) onClear(acceptableReason(reason));
      }}
    >
      <p className="break-words">
        {t.rich('text', { owner: () => <UserText key="owner">{lock.owner}</UserText>, ago })}
      </p>
      <p className="text-dim">{t('ifAcquired')}</p>
      {isUnfolded && <OptionalReason {...{ reason, isRefused, inputRef }} onReason={setReason} />}
      <div className="flex flex-wrap items-center justify-end gap-3">
        {!isUnfolded && (
          <Button kind="quiet" className="me-auto -ms-3" onClick={unfold}>
            {t('addReason')}
          </Button>
        )}
        <Button ref={cancelRef} onClick={onCancel}>
          {t('cancel')}
        </Button>
        <Button type="submit" aria-disabled={isRefused}>
          {t('clear')}
        </Button>
      </div>
    </form>
  );
}

interface OptionalReasonProps {
  readonly reason: string;
  readonly isRefused: boolean;
  readonly inputRef: RefObject<HTMLInputElement | null>;
  readonly onReason: (reason: string) => void;
}

function OptionalReason({ reason, isRefused, inputRef, onReason }: OptionalReasonProps) {
  const t = useTranslations('clear');
  const id = useId();
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id}>{t('reason')}</label>
      <input
        ref={inputRef}
        id={id}
        value={reason}
        onChange={(event) => onReason(event.target.value)}
        aria-invalid={isRefused}
        dir="auto"
        autoComplete="off"
        className="h-8 rounded-control border border-control bg-surface px-2"
      />
      {isRefused && <span className="text-meta text-red">{t('reasonLength', reasonLength)}</span>}
    </div>
  );
}
