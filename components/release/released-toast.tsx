'use client';

import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { useTranslations } from 'use-intl';

import type { LockOnWire } from '@/lib/contract/answers';
import { noticedOptions } from '@/lib/queries/lock-events';
import { lockHref } from '@/lib/queries/paths';
import type { Released } from '@/lib/queries/release-lock';

import { UserText } from '../ui/user-text';
import { usePaused } from '../ui/use-paused';
import { useTimes } from '../ui/use-times';

interface ReleasedToastProps {
  readonly seen: LockOnWire;
  readonly released: Released;
}

/** Released, until when closed, and whether its former holder knows by now: until it does, it may go on writing. */
export function ReleasedToast({ seen, released }: ReleasedToastProps) {
  const t = useTranslations('released');
  const times = useTimes();
  const isPaused = usePaused();
  const { data: noticed = null } = useQuery(
    noticedOptions(seen.resource, seen.fencing_token, { isPaused }),
  );
  const owner = () => <UserText key="owner">{seen.owner}</UserText>;
  const until = released.hold === null ? null : times.clock(Date.parse(released.hold.expires_at));
  return (
    <div className="flex flex-col gap-1">
      <p>
        {released.atMs === null
          ? t('released')
          : t('releasedAt', { time: times.clock(released.atMs) })}{' '}
        {until === null ? t('open') : t('closedUntil', { time: until })}{' '}
        {noticed === null
          ? t.rich('notNoticed', { owner })
          : t.rich('noticed', { owner, time: times.clock(Date.parse(noticed.at)) })}
      </p>
      <Link
        className="text-blue underline underline-offset-2"
        href={`${lockHref(seen.resource)}#history`}
      >
        {t('viewHistory')}
      </Link>
    </div>
  );
}
