'use client';

import { useTranslations } from 'use-intl';

import type { LockOnWire } from '@/lib/contract/answers';

import { useServerMs } from '../ui/server-clock';
import { useDuration } from '../ui/use-times';

/**
 * What is left of a lease, counted by the server's time. At zero it is "ending…": whether it has ended, or was renewed
 * meanwhile, is the server's to say. Of an expired lease, for how long.
 */
export function TimeLeft({ lock }: { readonly lock: LockOnWire }) {
  const t = useTranslations('left');
  const nowMs = useServerMs();
  const duration = useDuration();
  if (nowMs === null) return null;
  const leftMs = Date.parse(lock.expires_at) - nowMs;
  if (lock.state === 'expired') {
    return (
      <span className="text-spent">{t('expiredFor', { duration: duration(coarse(-leftMs)) })}</span>
    );
  }
  if (leftMs <= 0) return <span className="text-amber">{t('ending')}</span>;
  const tone = lock.condition === 'expiring' ? 'text-amber' : '';
  return <span className={tone}>{duration(leftMs)}</span>;
}

/** How long ago a lease ended need not be told to the second. */
function coarse(ms: number): number {
  const unitMs =
    ms < 60_000 ? 1_000 : ms < 3_600_000 ? 60_000 : ms < 86_400_000 ? 3_600_000 : 86_400_000;
  return Math.floor(ms / unitMs) * unitMs;
}
