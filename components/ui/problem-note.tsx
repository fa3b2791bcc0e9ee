'use client';

import { useTranslations } from 'use-intl';

import type { ApiError } from '@/lib/queries/api-error';

import { Button } from './button';

interface ProblemNoteProps {
  /** What was tried: "The list could not be read." */
  readonly what: string;
  readonly error: ApiError;
  readonly onRetry?: (() => void) | undefined;
}

/** What failed and why, in plain words, with the id by which it is found in the server's log. */
export function ProblemNote({ what, error, onRetry }: ProblemNoteProps) {
  const t = useTranslations('problem');
  return (
    <div role="alert" className="flex flex-wrap items-start gap-3 border-s-2 border-amber ps-3">
      <div className="min-w-0 flex-1">
        <p>
          <strong className="font-strong">{what}</strong> {t(`code.${error.code}`)}
        </p>
        {error.errors.length > 0 && (
          <ul className="list-disc ps-5">
            {error.errors.map(({ field, message }) => (
              <li key={`${field} ${message}`} lang="en">
                <code className="font-mono">{field}</code> {message}
              </li>
            ))}
          </ul>
        )}
        {error.requestId !== null && (
          <p className="text-meta text-dim">{t('requestId', { id: error.requestId })}</p>
        )}
      </div>
      {onRetry !== undefined && <Button onClick={onRetry}>{t('retry')}</Button>}
    </div>
  );
}
