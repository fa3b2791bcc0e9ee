'use client';

import Link from 'next/link';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';

import type { LockOnWire } from '@/lib/contract/answers';
import type { LeaseChange } from '@/lib/queries/lease-change';
import { lockHref } from '@/lib/queries/paths';

import { Button, buttonClass } from '../ui/button';
import { CutText } from '../ui/cut-text';
import { plainText } from '../ui/plain-text';
import { useServerMs } from '../ui/server-clock';
import { UserText } from '../ui/user-text';
import { useDuration } from '../ui/use-times';

interface ChangedNoticeProps {
  readonly seen: LockOnWire;
  readonly change: Exclude<LeaseChange, { kind: 'same' | 'ran-out' }>;
  readonly onClose: () => void;
}

/** What came in between, in place of the question that no longer fits. */
export function ChangedNotice({ seen, change, onClose }: ChangedNoticeProps) {
  const t = useTranslations('changed');
  return (
    <div className="flex flex-col gap-4">
      <p role="alert" className="break-words">
        <ChangeText seen={seen} change={change} />
      </p>
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose} autoFocus>
          {t('close')}
        </Button>
        {change.kind === 'taken' && (
          <Link
            href={lockHref(seen.resource)}
            onClick={onClose}
            aria-label={t.markup('lookAt', { owner: () => plainText(change.by.owner) })}
            className={`${buttonClass()} max-w-full`}
          >
            <span className="flex min-w-0 whitespace-pre">
              {t.rich('lookAt', { owner: () => <CutText key="owner" text={change.by.owner} /> })}
            </span>
          </Link>
        )}
      </div>
    </div>
  );
}

/** The sentence alone, also for a toast. */
export function ChangeText({ seen, change }: Omit<ChangedNoticeProps, 'onClose'>): ReactNode {
  const t = useTranslations('changed');
  const duration = useDuration();
  const nowMs = useServerMs();
  const ago = (atMs: number | null) => duration(atMs === null || nowMs === null ? 0 : nowMs - atMs);
  const was = () => <UserText key="was">{seen.owner}</UserText>;
  const isClear = seen.state === 'expired';
  switch (change.kind) {
    case 'taken': {
      const now = () => (
        <strong key="now" className="font-strong">
          <UserText>{ownerOf(change.by)}</UserText>
        </strong>
      );
      const words = { was, now, ago: ago(change.atMs), fence: String(change.by.fencing_token) };
      return t.rich(isClear ? 'nothingToClear' : takenWords[change.ended], words);
    }
    case 'gone':
      if (isClear) return t('alreadyGone');
      return t.rich(goneWords[change.ended], { was, ago: ago(change.atMs) });
    case 'ended-by-person': {
      const { actor, reason, kind } = change.event;
      const who = () => <UserText key="who">{actor ?? t('somebody')}</UserText>;
      const why = () => (
        <UserText key="why" isProse>
          {reason ?? ''}
        </UserText>
      );
      const verb = kind === 'cleared' || kind === 'reopened' ? kind : 'forceReleased';
      const words = { who, why, ago: ago(Date.parse(change.event.at)) };
      return t.rich(reason === null ? `${verb}NoReason` : verb, words);
    }
  }
}

const takenWords = {
  released: 'takenReleased',
  'ran-out': 'takenRanOut',
  reacquired: 'takenReacquired',
  unknown: 'taken',
} as const;

const goneWords = {
  released: 'goneReleased',
  'ran-out': 'goneRanOut',
  reacquired: 'gone',
  unknown: 'gone',
} as const;

function ownerOf(lock: LockOnWire): string {
  return lock.held_by_operator?.name ?? lock.owner;
}
