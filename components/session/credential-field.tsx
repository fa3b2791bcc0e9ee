'use client';

import { useId, useState, type Ref } from 'react';
import { useTranslations } from 'use-intl';

interface CredentialFieldProps {
  readonly kind: 'email' | 'password';
  readonly label: string;
  readonly value: string;
  readonly autoComplete: 'username' | 'current-password' | 'new-password';
  readonly onValue: (value: string) => void;
  readonly hint?: string;
  readonly error?: string | null;
  readonly isFirst?: boolean;
  readonly inputRef?: Ref<HTMLInputElement>;
}

/** An e-mail address or a password, as password managers know them. */
export function CredentialField(props: CredentialFieldProps) {
  const {
    kind,
    label,
    value,
    autoComplete,
    onValue,
    hint,
    error = null,
    isFirst,
    inputRef,
  } = props;
  const t = useTranslations('session');
  const [isShown, setShown] = useState(false);
  const id = useId();
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="w-fit font-strong">
        {label}
      </label>
      <input
        ref={inputRef}
        id={id}
        name={kind}
        type={kind === 'password' && isShown ? 'text' : kind}
        inputMode={kind === 'email' ? 'email' : undefined}
        value={value}
        onChange={(event) => onValue(event.target.value)}
        autoComplete={autoComplete}
        autoCapitalize="off"
        spellCheck={false}
        required
        aria-invalid={error !== null}
        aria-describedby={`${id}-error ${id}-hint`}
        data-autofocus={isFirst === true ? '' : undefined}
        className="h-9 w-full min-w-0 rounded-control border border-control bg-surface px-2 aria-invalid:border-red"
      />
      <div id={`${id}-error`} aria-live="polite" className="text-meta text-red empty:hidden">
        {error}
      </div>
      {hint !== undefined && (
        <div id={`${id}-hint`} className="text-meta text-dim">
          {hint}
        </div>
      )}
      {kind === 'password' && (
        <label className="flex min-h-6 w-fit items-center gap-2 text-cell">
          <input
            type="checkbox"
            checked={isShown}
            onChange={(event) => setShown(event.target.checked)}
            className="size-4 accent-blue"
          />
          {t('show')}
        </label>
      )}
    </div>
  );
}
