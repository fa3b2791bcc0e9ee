'use client';

import { useMemo } from 'react';
import { useLocale } from 'use-intl';

import { limits } from '@/lib/contract/limits';

/** Counts are exact up to a bound; from there on the server says only that there are more. */
export function useCount(isCapped: boolean): (count: number) => string {
  const locale = useLocale();
  return useMemo(() => {
    const format = new Intl.NumberFormat(locale);
    return (count) =>
      isCapped && count >= limits.countMax
        ? `${format.format(limits.countMax)}+`
        : format.format(count);
  }, [locale, isCapped]);
}
