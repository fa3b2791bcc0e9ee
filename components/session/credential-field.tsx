'use client';

import { useState, type ReactNode, type Ref } from 'react';
import { useTranslations } from 'use-intl';

import { FormField, inputClass } from '../ui/form-field';

interface CredentialFieldProps {
  readonly kind: 'email' | 'password';
  readonly label: string;
  readonly value: string;
  readonly autoComplete: 'username' | 'current-password' | 'new-password';
  readonly onValue: (value: string) => void;
  readonly hint?: string;
  readonly error?: ReactNode;
  /** In the form, where it is not the kind. */
  readonly name?: string;
  readonly isFirst?: boolean;
  readonly inputRef?: Ref<HTMLInputElement>;
}

/** An e-mail address or a password, as password managers know them. */
export function CredentialField(props: CredentialFieldProps) {
  const {
    kind,
    name = kind,
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
  return (
    <div className="flex flex-col gap-1">
      <FormField label={label} hint={hint} error={error}>
        {(control) => (
          <input
            {...control}
            ref={inputRef}
            name={name}
            type={kind === 'password' && isShown ? 'text' : kind}
            inputMode={kind === 'email' ? 'email' : undefined}
            value={value}
            onChange={(event) => onValue(event.target.value)}
            autoComplete={autoComplete}
            autoCapitalize="off"
            spellCheck={false}
            required
            data-autofocus={isFirst === true ? '' : undefined}
            className={`${inputClass} h-9`}
          />
        )}
      </FormField>
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
