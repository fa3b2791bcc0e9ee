'use client';

import { useTranslations } from 'use-intl';

import type { KeyWord } from '@/lib/queries/key-expiry';

import { StateGlyph, type GlyphName } from '../lease/state-glyph';

export const keyGlyphs: Readonly<Record<KeyWord, GlyphName>> = {
  active: 'held',
  soon: 'expiring',
  expired: 'expired',
  revoked: 'forced',
};

export const keyTones: Readonly<Record<KeyWord, string>> = {
  active: 'text-ink',
  soon: 'text-amber',
  expired: 'text-spent',
  revoked: 'text-spent',
};

export function KeyState({ word }: { readonly word: KeyWord }) {
  const t = useTranslations('keyState');
  return (
    <span className={`inline-flex items-center gap-1.5 whitespace-nowrap ${keyTones[word]}`}>
      <StateGlyph name={keyGlyphs[word]} />
      <span data-key-state={word}>{t(word)}</span>
    </span>
  );
}
