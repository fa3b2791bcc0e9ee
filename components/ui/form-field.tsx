'use client';

import { useId, type ReactNode } from 'react';

/** What the control of a field carries, so that its label, hint and error are told with it. */
export interface FieldControl {
  readonly id: string;
  readonly 'aria-describedby': string;
  readonly 'aria-invalid': boolean;
}

interface FormFieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  /** Null while nothing is wrong, or while it is too early to say so. */
  readonly error: ReactNode;
  readonly children: (control: FieldControl) => ReactNode;
}

export const inputClass =
  'h-8 w-full min-w-0 rounded-control border border-control bg-surface px-2 aria-invalid:border-red';

export function FormField({ label, hint, error, children }: FormFieldProps) {
  const id = useId();
  const isWrong = error !== null;
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="w-fit font-strong">
        {label}
      </label>
      {children({ id, 'aria-describedby': `${id}-error ${id}-hint`, 'aria-invalid': isWrong })}
      <FieldError id={`${id}-error`}>{error}</FieldError>
      <div id={`${id}-hint`} className="text-meta text-dim empty:hidden">
        {hint}
      </div>
    </div>
  );
}

/** Always there, so that what comes into it is read out. */
export function FieldError({
  id,
  children,
}: {
  readonly id: string;
  readonly children: ReactNode;
}) {
  return (
    <div id={id} aria-live="polite" className="text-meta break-words text-red">
      {children}
    </div>
  );
}
