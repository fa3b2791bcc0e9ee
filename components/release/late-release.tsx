'use client';

import { useTranslations } from 'use-intl';

import { Button } from '../ui/button';
import { useTimes } from '../ui/use-times';

interface LateReleaseProps {
  /** When the history says that it happened, in milliseconds by the server. */
  readonly atMs: number;
  readonly onClose: () => void;
}

/** The answer got lost, and the history shows that the release took place. */
export function LateRelease({ atMs, onClose }: LateReleaseProps) {
  const t = useTranslations('force');
  const times = useTimes();
  return (
    <div className="flex flex-col gap-4">
      <p role="alert">{t('releasedAt', { time: times.clock(atMs) })}</p>
      <div className="flex justify-end">
        <Button onClick={onClose} autoFocus>
          {t('close')}
        </Button>
      </div>
    </div>
  );
}
