'use client';

import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';

import type { EventOnWire } from '@/lib/contract/answers';
import { whereaboutsOptions } from '@/lib/queries/lock-events';

import { useServerMs } from '../ui/server-clock';
import { usePaused } from '../ui/use-paused';
import { useDuration } from '../ui/use-times';
import { LockRow, type LockRowProps } from './lock-row';
import { LockState } from '../lease/lock-state';

/**
 * A row that looks after itself once the list no longer has it: the same lease, gone from what is loaded because it was
 * renewed or reordered, stays as it is; one that ended stays dimmed and says what happened.
 */
export function WatchedRow(props: Omit<LockRowProps, 'note'>) {
  const t = useTranslations('gone');
  const { lock, isMissing, anchor } = props.row;
  const isPaused = usePaused();
  const { data } = useQuery({
    ...whereaboutsOptions(lock.resource, { isPaused }),
    enabled: isMissing,
  });
  if (!isMissing) return <LockRow {...props} note={null} />;
  if (data === undefined) return <LockRow {...props} note={<LockState lock={lock} />} />;
  if (data.lock === null) return <LockRow {...props} note={<GoneWord event={data.lastEvent} />} />;
  if (data.lock.fencing_token !== lock.fencing_token) {
    return <LockRow {...props} note={<span>{t('acquiredAgain')}</span>} />;
  }
  const note = data.lock.state === lock.state ? null : <LockState lock={data.lock} />;
  return <LockRow {...props} row={{ lock: data.lock, isMissing, anchor }} note={note} />;
}

function GoneWord({ event }: { readonly event: EventOnWire | null }) {
  const t = useTranslations('gone');
  const duration = useDuration();
  const nowMs = useServerMs();
  const word = wordOf(event);
  if (event === null || nowMs === null || word === null) return <span>{t('gone')}</span>;
  const ago = duration(nowMs - Date.parse(event.at));
  return (
    <span className={`block truncate ${word === 'forceReleased' ? 'text-red' : ''}`}>
      {t(word, { ago })}
    </span>
  );
}

function wordOf(event: EventOnWire | null) {
  switch (event?.kind) {
    case 'released':
      return 'released';
    case 'force_released':
      return 'forceReleased';
    case 'cleared':
      return 'cleared';
    case 'reopened':
      return 'reopened';
    case 'expired':
    case 'acquired':
    case 'reacquired':
    case 'claimed':
    case 'renewed':
    case 'contended':
    case 'noticed':
    case 'held':
    case 'release_requested':
    case 'signed_in':
    case 'sign_in_failed':
    case 'key_created':
    case 'key_rotated':
    case 'key_revoked':
    case 'member_added':
    case 'member_changed':
    case 'member_removed':
    case undefined:
      return null;
  }
}
