'use client';

import { useTranslations } from 'use-intl';

import { hiddenCharacters } from './plain-text';

/** A mark behind a name that holds such characters: two names that look alike may not be. */
export function HiddenCharactersMark({ text }: { readonly text: string }) {
  const t = useTranslations('names');
  const found = [...new Set(text.match(hiddenCharacters) ?? [])];
  if (found.length === 0) return null;
  const codes = found.map(codeOf).join(', ');
  return (
    <span
      className="ms-1 shrink-0 font-sans text-meta text-amber"
      title={t('hiddenCharacters', { codes })}
    >
      <span aria-hidden="true">⚠</span>
      <span className="sr-only">{t('hiddenCharacters', { codes })}</span>
    </span>
  );
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
