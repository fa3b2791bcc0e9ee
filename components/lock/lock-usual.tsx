'use client';

import { useQuery } from '@tanstack/react-query';
import { useLocale, useTranslations } from 'use-intl';

import type { LockOnWire } from '@/lib/contract/answers';
import type { LockStatsOnWire } from '@/lib/contract/stats';
import { lockStatsOptions } from '@/lib/queries/contention';

import { ProblemNote } from '../ui/problem-note';
import { useServerMs } from '../ui/server-clock';
import { usePaused } from '../ui/use-paused';
import { useStickyError } from '../ui/use-sticky-error';
import { useFineDuration, useTimes } from '../ui/use-times';

interface LockUsualProps {
  readonly resource: string;
  readonly lock: LockOnWire | null;
}

/** Whether what one sees is strange: the lease as it is, beside what was usual in the last week. */
export function LockUsual({ resource, lock }: LockUsualProps) {
  const t = useTranslations('usual');
  const isPaused = usePaused();
  const sighting = useQuery(lockStatsOptions(resource, { isPaused }));
  const error = useStickyError(sighting);
  const usual = sighting.data ?? null;
  const isOfHolder = lock !== null && lock.state === 'active' && lock.held_by_operator === null;
  return (
    <section aria-labelledby="usual-title" data-section="usual">
      <h2 id="usual-title" className="border-b border-hair pb-1 font-strong">
        {t('title')}
      </h2>
      {error !== null && (
        <div className="py-2">
          <ProblemNote what={t('notRead')} error={error} onRetry={() => void sighting.refetch()} />
        </div>
      )}
      {usual !== null && (
        <ul className="text-cell [&>li]:border-b [&>li]:border-hair [&>li]:py-1.5">
          {isOfHolder && <HeldLine lock={lock} usual={usual} />}
          {isOfHolder && <RenewedLine lock={lock} usual={usual} />}
          {!isOfHolder && <HoldTimes usual={usual} />}
          <Counted usual={usual} />
        </ul>
      )}
    </section>
  );
}

interface LineProps {
  readonly lock: LockOnWire;
  readonly usual: LockStatsOnWire;
}

function HeldLine({ lock, usual }: LineProps) {
  const t = useTranslations('usual');
  const duration = useFineDuration();
  const nowMs = useServerMs();
  if (nowMs === null) return null;
  const heldMs = Math.max(0, nowMs - Date.parse(lock.acquired_at));
  const held = duration(heldMs);
  if (usual.held_ms === null) return <li>{t('heldUnknown', { held })}</li>;
  const { median, p95 } = usual.held_ms;
  const isLong = heldMs > p95;
  return (
    <li className={isLong ? 'font-strong' : ''} data-usual={isLong ? 'long' : 'within'}>
      {t('held', { held, median: duration(median) })}
      {isLong && t('longerThanMost', { p95: duration(p95) })}
    </li>
  );
}

/** A lease that has not renewed may yet do so: of it is said no more than that. */
function RenewedLine({ lock, usual }: LineProps) {
  const t = useTranslations('usual');
  const duration = useFineDuration();
  const nowMs = useServerMs();
  if (nowMs === null) return null;
  const everyMs = lock.renew_every_ms ?? usual.renew_every_ms;
  if (lock.renewed_at === null) {
    return (
      <li>
        {everyMs === null ? t('notRenewed') : t('notRenewedUsually', { every: duration(everyMs) })}
      </li>
    );
  }
  const ago = duration(Math.max(0, nowMs - Date.parse(lock.renewed_at)));
  if (everyMs === null) return <li>{t('renewed', { ago })}</li>;
  const isSilent = lock.condition === 'silent';
  return (
    <li className={isSilent ? 'font-strong text-amber' : ''}>
      {t(isSilent ? 'silent' : 'renewedUsually', { ago, every: duration(everyMs) })}
    </li>
  );
}

function HoldTimes({ usual }: Pick<LineProps, 'usual'>) {
  const t = useTranslations('usual');
  const duration = useFineDuration();
  if (usual.held_ms === null) return <li className="text-dim">{t('noneEnded')}</li>;
  const { median, p95 } = usual.held_ms;
  return <li>{t('holdTimes', { median: duration(median), p95: duration(p95) })}</li>;
}

function Counted({ usual }: Pick<LineProps, 'usual'>) {
  const t = useTranslations('usual');
  const locale = useLocale();
  const times = useTimes();
  const format = new Intl.NumberFormat(locale);
  const sinceMs = Date.parse(usual.since);
  const counts = (['acquires', 'denials', 'lost_leases', 'forced_releases'] as const).filter(
    (field) => field === 'acquires' || usual[field] > 0,
  );
  return (
    <li className="text-dim">
      {usual.is_complete
        ? t('inDays')
        : t('since', { time: times.moment(sinceMs, null), day: times.day(sinceMs) })}{' '}
      {counts.map((field, index) => (
        <span key={field}>
          {index > 0 && ' · '}
          {t(field, { n: usual[field], text: format.format(usual[field]) })}
        </span>
      ))}
    </li>
  );
}
