'use client';

import { useId } from 'react';
import { useTranslations } from 'use-intl';

import { UserText } from '../ui/user-text';
import { isConfirmed } from './confirmation';

interface ConfirmFieldProps {
  readonly confirmation: string;
  readonly typed: string;
  readonly onTyped: (typed: string) => void;
}

export function ConfirmField({ confirmation, typed, onTyped }: ConfirmFieldProps) {
  const t = useTranslations('force');
  const id = useId();
  const matches = isConfirmed(typed, confirmation);
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
      <label htmlFor={id} className="break-all">
        {t.rich('type', {
          word: () => (
            <strong key="word" className="mx-1 font-strong select-all">
              <UserText>{confirmation}</UserText>
            </strong>
          ),
        })}
      </label>
      <span className="flex min-w-48 flex-1 items-center gap-2">
        <input
          id={id}
          value={typed}
          onChange={(event) => onTyped(event.target.value)}
          dir="auto"
          autoComplete="off"
          autoCapitalize="off"
          autoCorrect="off"
          spellCheck={false}
          className="h-8 w-full min-w-0 rounded-control border border-control bg-surface px-2 font-mono"
        />
        <span role="status" className="w-16 shrink-0 text-meta text-dim">
          {typed === '' ? '' : matches ? t('matches') : t('noMatch')}
        </span>
      </span>
    </div>
  );
}
