'use client';

import { useTranslations } from 'use-intl';

import { Button } from '../ui/button';
import { Cover } from '../ui/cover';
import type { Person } from './session-context';

interface AnotherPersonProps {
  readonly before: Person;
  readonly now: Person;
  readonly onGoOn: () => void;
}

/** The page is somebody else's: what it holds would go on record under another name than the one who wrote it. */
export function AnotherPerson({ before, now, onGoOn }: AnotherPersonProps) {
  const t = useTranslations('session');
  return (
    <Cover title={t('anotherTitle')}>
      <p role="alert" className="wrap-anywhere">
        {t('anotherText', { before: before.email, now: now.email })}
      </p>
      <div className="flex flex-wrap justify-end gap-3">
        <Button data-autofocus="" onClick={() => window.location.assign('/locks')}>
          {t('leaveAnother')}
        </Button>
        <Button className="max-w-full" onClick={onGoOn}>
          <span className="truncate">{t('goOn', { now: now.name })}</span>
        </Button>
      </div>
    </Cover>
  );
}
