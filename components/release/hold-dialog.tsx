'use client';

import { useId, useState } from 'react';
import { useTranslations } from 'use-intl';

import type { LockOnWire } from '@/lib/contract/answers';
import { holdOptions } from '@/lib/queries/operate-lock';

import { useSendOnce } from '../ui/use-send-once';
import { UserText } from '../ui/user-text';
import { useDuration } from '../ui/use-times';
import { ReasonDialog } from './reason-dialog';

interface HoldDialogProps {
  readonly resource: string;
  readonly onClose: () => void;
  readonly onHeld: (lock: LockOnWire) => void;
}

const choices = [300, 900, 3600, 14_400, 28_800, 86_400] as const;

/** Takes a free resource out of service for maintenance. */
export function HoldDialog({ resource, onClose, onHeld }: HoldDialogProps) {
  const t = useTranslations('hold');
  const id = useId();
  const duration = useDuration();
  const [ttlSeconds, setTtlSeconds] = useState<number>(3600);
  const hold = useSendOnce(holdOptions, {
    onAnswer(outcome) {
      if (outcome.kind === 'done') onHeld(outcome.lock);
    },
  });
  const taken = hold.answer?.kind === 'changed' ? hold.answer.current : null;
  return (
    <ReasonDialog
      title={t('title')}
      resource={resource}
      cancel={t('cancel')}
      act={t('hold')}
      acting={t('holding')}
      isSending={hold.isSending}
      changed={
        hold.answer?.kind === 'changed'
          ? t.rich(taken === null ? 'changedGone' : 'changed', {
              owner: () => <UserText key="owner">{taken?.owner ?? ''}</UserText>,
            })
          : null
      }
      notDone={t('notHeld')}
      error={hold.error}
      onCancel={onClose}
      onAct={(reason) => hold.send({ resource, reason, ttlSeconds })}
    >
      <p>{t('text')}</p>
      <p className="flex items-center gap-2">
        <label htmlFor={id}>{t('for')}</label>
        <select
          id={id}
          value={ttlSeconds}
          onChange={(event) => setTtlSeconds(Number(event.target.value))}
          className="h-8 rounded-control border border-control bg-surface px-2"
        >
          {choices.map((seconds) => (
            <option key={seconds} value={seconds}>
              {duration(seconds * 1000)}
            </option>
          ))}
        </select>
      </p>
    </ReasonDialog>
  );
}
