'use client';

import { useTranslations } from 'use-intl';

import type { LockOnWire } from '@/lib/contract/answers';

import { LockState } from '../lease/lock-state';
import { StateGlyph } from '../lease/state-glyph';
import { TimeLeft } from '../lease/time-left';
import { CopyButton } from '../ui/copy-button';
import { FullName } from '../ui/full-name';
import { useDuration } from '../ui/use-times';

interface LockHeadProps {
  readonly resource: string;
  readonly lock: LockOnWire | null;
  /** Whether the server has answered at all. */
  readonly isKnown: boolean;
}

/** The name in full, and the state in words. */
export function LockHead({ resource, lock, isKnown }: LockHeadProps) {
  const t = useTranslations('lock');
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <h1 className="flex items-start gap-1 text-name">
        <FullName resource={resource} />
        <CopyButton text={resource} label={t('copyName')} className="mt-0.5" />
      </h1>
      {lock !== null && <StateLine lock={lock} />}
      {lock === null && isKnown && <p className="text-dim">{t('none')}</p>}
    </div>
  );
}

function StateLine({ lock }: { readonly lock: LockOnWire }) {
  const t = useTranslations('facts');
  const duration = useDuration();
  return (
    <p className="flex flex-wrap items-center gap-x-4">
      <LockState lock={lock} />
      <span>
        {lock.state === 'expired' ? (
          <TimeLeft lock={lock} />
        ) : (
          t.rich('leftOf', {
            left: () => <TimeLeft key="left" lock={lock} />,
            ttl: duration(lock.ttl_ms),
          })
        )}
      </span>
      {lock.contention !== null && (
        <span className="inline-flex items-center gap-1.5 text-violet">
          <StateGlyph name="asked" />
          {t('askingLast', { owners: lock.contention.owners })}
        </span>
      )}
    </p>
  );
}
