'use client';

import { useMemo } from 'react';
import { useLocale } from 'use-intl';

const exactMax = 10_000;

/** Counts are exact up to 10,000; from there on the server says only that there are more. */
export function useCount(isCapped: boolean): (count: number) => string {
  const locale = useLocale();
  return useMemo(() => {
    const format = new Intl.NumberFormat(locale);
    return (count) =>
      isCapped && count >= exactMax ? `${format.format(exactMax)}+` : format.format(count);
  }, [locale, isCapped]);
}
