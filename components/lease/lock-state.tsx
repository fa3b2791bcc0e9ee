'use client';

import { useTranslations } from 'use-intl';

import type { LockOnWire } from '@/lib/contract/answers';

import { useServerMs } from '../ui/server-clock';
import { useDuration } from '../ui/use-times';
import { StateGlyph } from './state-glyph';

/** The states of the vocabulary, as the server tells them; the browser's clock has no say. */
export type LockWord = 'held' | NonNullable<LockOnWire['condition']> | 'expired';

export function wordOf({ state, condition }: LockOnWire): LockWord {
  if (state === 'expired') return 'expired';
  return condition ?? 'held';
}

const tones: Readonly<Record<LockWord, string>> = {
  held: 'text-ink',
  expiring: 'text-amber',
  silent: 'text-amber',
  closed: 'text-ink',
  expired: 'text-spent',
};

/** Glyph and word; of a silent lock also since when. */
export function LockState({ lock }: { readonly lock: LockOnWire }) {
  const t = useTranslations('state');
  const duration = useDuration();
  const word = wordOf(lock);
  const silentHint = t('usuallyRenews', { every: duration(lock.renew_every_ms ?? 0) });
  return (
    <span
      title={word === 'silent' ? silentHint : undefined}
      className={`inline-flex items-center gap-1.5 whitespace-nowrap ${tones[word]}`}
    >
      <StateGlyph name={word} />
      <span data-state={word}>
        {t(word)}
        {word === 'silent' && <SilentFor lock={lock} />}
      </span>
    </span>
  );
}

function SilentFor({ lock }: { readonly lock: LockOnWire }) {
  const nowMs = useServerMs();
  const duration = useDuration();
  if (nowMs === null) return null;
  const since = Date.parse(lock.renewed_at ?? lock.acquired_at);
  return ` ${duration(wholeUnit(nowMs - since))}`;
}

/** Beyond a minute, minutes are enough beside a state. */
function wholeUnit(ms: number): number {
  return ms < 60_000 ? ms : Math.floor(ms / 60_000) * 60_000;
}
