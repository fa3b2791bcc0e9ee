'use client';

import { useId, useRef } from 'react';
import { useTranslations } from 'use-intl';

import { limits } from '@/lib/contract/limits';
import { acceptableReason, reasonLength } from '@/lib/queries/reason';

/** Some characters count as two here, and one too many should be seen to be refused. */
const typedMax = 2 * limits.reasonCharactersMax;

const usualReasons = ['holderCrashed', 'hostGone', 'deployStuck', 'other'] as const;

interface ReasonFieldProps {
  readonly reason: string;
  readonly onReason: (reason: string) => void;
  readonly hasUsualReasons?: boolean;
  readonly hint?: string;
}

/** Why, in one line. A usual reason writes itself into the field, so that what is kept is what one sees. */
export function ReasonField({ reason, onReason, hasUsualReasons = false, hint }: ReasonFieldProps) {
  const t = useTranslations('reason');
  const id = useId();
  const inputRef = useRef<HTMLInputElement>(null);
  const isRefused = reason.trim() !== '' && acceptableReason(reason) === null;

  function choose(usual: (typeof usualReasons)[number]) {
    const words = usual === 'other' ? '' : t(usual);
    const rest = usualReasons.reduce((text, key) => withoutStart(text, t(key)), reason);
    onReason(rest === '' || words === '' ? words || rest : `${words}: ${rest}`);
    inputRef.current?.focus();
  }

  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex flex-wrap items-center gap-1.5">
        <label htmlFor={id} className="me-1 font-strong">
          {t('label')}
        </label>
        {hasUsualReasons &&
          usualReasons.map((usual) => (
            <button
              key={usual}
              type="button"
              aria-pressed={usual !== 'other' && reason.startsWith(t(usual))}
              onClick={() => choose(usual)}
              className="h-6 rounded-full border border-control px-2.5 text-cell hover:bg-ground aria-pressed:border-blue aria-pressed:bg-blue-wash"
            >
              {t(usual)}
            </button>
          ))}
      </div>
      <input
        ref={inputRef}
        id={id}
        value={reason}
        onChange={(event) => onReason(event.target.value)}
        dir="auto"
        autoComplete="off"
        maxLength={typedMax}
        aria-invalid={isRefused}
        aria-describedby={`${id}-hint`}
        className="h-8 w-full rounded-control border border-control bg-surface px-2"
      />
      <p id={`${id}-hint`} className={`text-meta ${isRefused ? 'text-red' : 'text-dim'}`}>
        {isRefused ? t('length', reasonLength) : (hint ?? t('kept'))}
      </p>
    </div>
  );
}

function withoutStart(text: string, start: string): string {
  if (!text.startsWith(start)) return text;
  return text.slice(start.length).replace(/^:\s*/, '');
}
