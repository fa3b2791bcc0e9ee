'use client';

import { useEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';

import type { DrawnRow } from '@/lib/queries/still-rows';

import { plainText } from '../ui/plain-text';

const everyMs = 10_000;

/**
 * What a screen reader is told of a list that changes by itself: how many locks expired, at most every ten seconds, and
 * which rows left the selection. Counting numbers are never announced.
 */
export function useAnnouncements(
  rows: readonly DrawnRow[] | null,
  dropped: readonly string[],
): string {
  const t = useTranslations('announce');
  const [text, setText] = useState('');
  const states = useRef<ReadonlyMap<string, string>>(new Map());
  const expired = useRef(0);

  useEffect(() => {
    const next = new Map(rows?.map(({ lock }) => [keyOf(lock), lock.state]));
    for (const [key, state] of next) {
      if (state === 'expired' && states.current.get(key) === 'active') expired.current += 1;
    }
    states.current = next;
  }, [rows]);

  useEffect(() => {
    const timer = setInterval(() => {
      if (expired.current === 0) return;
      setText(t('expired', { n: expired.current }));
      expired.current = 0;
    }, everyMs);
    return () => clearInterval(timer);
  }, [t]);

  const droppedText = dropped
    .slice(0, 3)
    .map((resource) => t('dropped', { resource: plainText(resource) }))
    .join(' ');
  return droppedText === '' ? text : droppedText;
}

function keyOf(lock: DrawnRow['lock']): string {
  return `${lock.fencing_token} ${lock.resource}`;
}
