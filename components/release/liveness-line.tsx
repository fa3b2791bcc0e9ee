'use client';

import { useTranslations } from 'use-intl';

import type { LockOnWire } from '@/lib/contract/answers';

import { useServerMs } from '../ui/server-clock';
import { StateGlyph } from '../lease/state-glyph';
import { useDuration } from '../ui/use-times';

/** Whether the holder seems to be alive: the one thing to know before taking its lock away. */
export function LivenessLine({ lock }: { readonly lock: LockOnWire }) {
  const t = useTranslations('alive');
  const duration = useDuration();
  const nowMs = useServerMs();
  if (nowMs === null) return null;
  if (lock.renewed_at === null) {
    const acquiredAgo = duration(nowMs - Date.parse(lock.acquired_at));
    return <Line glyph="silent">{t('notRenewed', { ago: acquiredAgo })}</Line>;
  }
  const ago = duration(nowMs - Date.parse(lock.renewed_at));
  if (lock.condition !== 'silent') return <Line glyph="asked">{t('alive', { ago })}</Line>;
  const every = duration(lock.renew_every_ms ?? 0);
  return <Line glyph="silent">{t('silent', { ago, every })}</Line>;
}

function Line({
  glyph,
  children,
}: {
  readonly glyph: 'asked' | 'silent';
  readonly children: string;
}) {
  return (
    <p className="flex items-baseline gap-2 text-text font-strong text-amber">
      <StateGlyph name={glyph} />
      {children}
    </p>
  );
}
