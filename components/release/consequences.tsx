'use client';

import { useId } from 'react';
import { useTranslations } from 'use-intl';

import type { LockOnWire } from '@/lib/contract/answers';

import { useServerMs } from '../ui/server-clock';
import { UserText } from '../ui/user-text';
import { useDuration } from '../ui/use-times';
import { holdOffSeconds, holdSecondsOf, restSeconds, type HoldOff } from './hold-off';

interface ConsequencesProps {
  readonly lock: LockOnWire;
  readonly holdOff: HoldOff;
  readonly onHoldOff: (holdOff: HoldOff) => void;
}

/** What a forced release does and does not do, with the one choice in it. */
export function Consequences({ lock, holdOff, onHoldOff }: ConsequencesProps) {
  const t = useTranslations('force');
  const noteId = useId();
  const nowMs = useServerMs() ?? 0;
  const owner = () => <UserText key="owner">{lock.owner}</UserText>;
  const rest = restSeconds(lock, nowMs);
  const seconds = holdSecondsOf(holdOff, lock, nowMs);
  const select = () => <HoldOffSelect key="select" {...{ holdOff, onHoldOff, rest, noteId }} />;
  return (
    <section className="flex flex-col gap-1.5">
      <p>{t('ifYou')}</p>
      <ol className="flex list-decimal flex-col gap-1.5 ps-6 marker:text-dim">
        <li>
          <FirstLine lock={lock} nowMs={nowMs} />
        </li>
        <li>
          {seconds === 0 && holdOff === 0
            ? t.rich('atOnce', { owner, select })
            : t.rich('closed', { select, owners: lock.contention?.owners ?? 0 })}
          <span id={noteId} role="status" className="block text-amber empty:hidden">
            {holdOff !== 0 && seconds < rest && t.rich('tooShort', { owner })}
          </span>
        </li>
        <li>{t('stores', { fence: String(lock.fencing_token) })}</li>
      </ol>
      <p className="font-strong">{t('noUndo')}</p>
    </section>
  );
}

function FirstLine({ lock, nowMs }: { readonly lock: LockOnWire; readonly nowMs: number }) {
  const t = useTranslations('force');
  const duration = useDuration();
  const owner = () => <UserText key="owner">{lock.owner}</UserText>;
  if (lock.renewed_at === null) return t.rich('notStoppedNotRenewed', { owner });
  const { renew_every_ms: everyMs, condition } = lock;
  const nextMs = Date.parse(lock.renewed_at) + (everyMs ?? 0) - nowMs;
  if (everyMs === null || condition === 'silent' || nextMs < 0) {
    return t.rich('notStopped', { owner });
  }
  return t.rich('notStoppedUntil', { owner, next: duration(Math.ceil(nextMs / 1000) * 1000) });
}

interface HoldOffSelectProps {
  readonly holdOff: HoldOff;
  readonly onHoldOff: (holdOff: HoldOff) => void;
  readonly rest: number;
  readonly noteId: string;
}

function HoldOffSelect({ holdOff, onHoldOff, rest, noteId }: HoldOffSelectProps) {
  const t = useTranslations('force');
  const duration = useDuration();
  return (
    <select
      aria-label={t('holdOffLabel')}
      aria-describedby={noteId}
      value={String(holdOff)}
      onChange={({ target }) => onHoldOff(target.value === 'rest' ? 'rest' : Number(target.value))}
      className="h-7 rounded-control border border-control bg-surface px-1 text-text"
    >
      <option value="rest">{duration(rest * 1000)}</option>
      {holdOffSeconds.map((seconds) => (
        <option key={seconds} value={seconds}>
          {duration(seconds * 1000)}
        </option>
      ))}
    </select>
  );
}
