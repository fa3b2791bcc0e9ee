'use client';

import { useState } from 'react';
import { useTranslations } from 'use-intl';

import type { LockOnWire } from '@/lib/contract/answers';
import { isLost, releaseOptions } from '@/lib/queries/release-lock';
import type { ServerAnchor } from '@/lib/queries/server-anchor';

import { ServerClock } from '../ui/server-clock';
import { UserText } from '../ui/user-text';
import { useSendOnce } from '../ui/use-send-once';
import { useTimes } from '../ui/use-times';
import { ChangeText } from './changed-notice';
import { ReasonDialog } from './reason-dialog';
import { useWatchedLease, type Refusal } from './use-watched-lease';

interface ReopenDialogProps {
  readonly seen: LockOnWire;
  readonly seenAt: ServerAnchor;
  readonly onClose: () => void;
  readonly onReopened: () => void;
}

/** Ends a hold before its time. */
export function ReopenDialog({ seen, seenAt, onClose, onReopened }: ReopenDialogProps) {
  const t = useTranslations('reopen');
  const times = useTimes();
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const reopen = useSendOnce(releaseOptions, {
    mayRepeat: isLost,
    onAnswer(outcome) {
      if (outcome.kind === 'released') onReopened();
      if (outcome.kind === 'changed') setRefusal(outcome);
    },
  });
  const watched = useWatchedLease(seen, refusal);
  const anchor = watched.anchor ?? seenAt;
  const change = reopen.isSending ? ({ kind: 'same' } as const) : watched.change;
  const hold = seen.held_by_operator;

  const lost = reopen.answer !== null && isLost(reopen.answer) ? reopen.answer : null;
  return (
    <ReasonDialog
      title={t('title')}
      resource={seen.resource}
      cancel={t('keep')}
      act={t('reopen')}
      acting={t('reopening')}
      isSending={reopen.isSending}
      changed={
        change.kind === 'same' ? null : change.kind === 'ran-out' ? (
          t('ranOut')
        ) : (
          <ServerClock anchor={anchor} isFrozen={false}>
            <ChangeText seen={seen} change={change} />
          </ServerClock>
        )
      }
      notDone={lost?.kind === 'unknown' ? t('notKnown') : t('notReopened')}
      error={reopen.error ?? lost?.error ?? null}
      onCancel={onClose}
      onAct={(reason) => reopen.send({ seen, reason, holdSeconds: 0, onlyExpired: false })}
    >
      <p className="break-words">
        {t.rich('text', {
          who: () => <UserText key="who">{hold?.name ?? seen.owner}</UserText>,
          why: () => (
            <UserText key="why" isProse>
              {hold?.reason ?? ''}
            </UserText>
          ),
          time: times.clock(Date.parse(watched.lock.expires_at)),
        })}
      </p>
    </ReasonDialog>
  );
}
