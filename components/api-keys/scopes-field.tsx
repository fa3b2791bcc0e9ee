'use client';

import { useId, type ReactNode } from 'react';
import { useTranslations } from 'use-intl';

import { scopes, type Scope } from '@/lib/contract/access';
import { toggleScope } from '@/lib/queries/key-draft';

import { FieldError } from '../ui/form-field';

interface ScopesFieldProps {
  readonly chosen: readonly Scope[];
  readonly error: ReactNode;
  readonly onChosen: (chosen: readonly Scope[]) => void;
}

/** What the key may do, each with what that means for others. */
export function ScopesField({ chosen, error, onChosen }: ScopesFieldProps) {
  const t = useTranslations('newKey');
  const id = useId();
  return (
    <fieldset className="flex flex-col gap-1.5" aria-describedby={`${id}-error`}>
      <legend className="mb-1 font-strong">{t('scopes')}</legend>
      {scopes.map((scope) => (
        <label key={scope} className="flex items-start gap-2.5">
          <input
            type="checkbox"
            name="scopes"
            checked={chosen.includes(scope)}
            aria-labelledby={`${id}-${scope}-name`}
            aria-describedby={`${id}-${scope}`}
            onChange={() => onChosen(toggleScope(chosen, scope))}
            className="mt-1 block size-4 shrink-0 accent-blue"
          />
          <span>
            <code id={`${id}-${scope}-name`} className="font-mono">
              {scope}
            </code>
            <span id={`${id}-${scope}`} className="block text-cell text-dim">
              {t(`scope.${scope}`)}
            </span>
          </span>
        </label>
      ))}
      <FieldError id={`${id}-error`}>{error}</FieldError>
    </fieldset>
  );
}
