import type { ComponentProps } from 'react';

const kinds = {
  plain: 'border-control bg-surface text-ink hover:bg-ground',
  primary: 'border-ink bg-ink text-surface hover:opacity-90',
  quiet: 'border-transparent text-ink hover:bg-hair/60',
  danger: 'border-red bg-surface text-red hover:bg-red hover:text-on-red',
  'danger-solid': 'border-red bg-red text-on-red hover:brightness-110',
} as const;

const sizes = {
  small: 'h-6 px-2 text-cell',
  medium: 'h-8 px-3 text-text',
} as const;

export interface ButtonProps extends ComponentProps<'button'> {
  readonly kind?: keyof typeof kinds;
  readonly size?: keyof typeof sizes;
}

export function Button({ kind = 'plain', size = 'medium', className, ...rest }: ButtonProps) {
  return (
    <button type="button" {...rest} className={`${buttonClass(kind, size)} ${className ?? ''}`} />
  );
}

/** The looks of a button, for links that stand where a button could. */
export function buttonClass(
  kind: keyof typeof kinds = 'plain',
  size: keyof typeof sizes = 'medium',
): string {
  return `inline-flex shrink-0 items-center justify-center gap-1.5 rounded-control border whitespace-nowrap ${kinds[kind]} ${sizes[size]} disabled:border-hair disabled:bg-transparent disabled:text-dim aria-disabled:border-hair aria-disabled:bg-transparent aria-disabled:text-dim`;
}
