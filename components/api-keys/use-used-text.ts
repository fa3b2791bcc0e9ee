'use client';

import { useTranslations } from 'use-intl';

import { useCoarseDuration } from '../access/coarse-time';

/** How long ago a key was used. The server notes that to the minute, so nothing finer is said. */
export function useUsedText(): (agoMs: number) => string {
  const t = useTranslations('apiKeys');
  const coarse = useCoarseDuration();
  return (agoMs) => (agoMs < notedMs ? t('usedNow') : t('ago', { time: coarse(agoMs) }));
}

/** A minute between two notes, and the time that one takes to be written. */
const notedMs = 75_000;
