'use client';

import { useTranslations } from 'use-intl';

import { passwordCharactersMax, passwordCharactersMin } from '@/lib/contract/access-fields';

/** What is wrong with a new password, in words; null if nothing is. */
export function useWrongPassword(password: string): string | null {
  const t = useTranslations('session');
  const n = Array.from(password).length;
  if (n < passwordCharactersMin) return t('passwordShort', { min: passwordCharactersMin, n });
  if (password.length <= passwordCharactersMax) return null;
  return t('passwordLong', { max: passwordCharactersMax });
}
