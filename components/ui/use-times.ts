'use client';

import { useMemo } from 'react';
import { useLocale, useTranslations } from 'use-intl';

import { usePreferences } from '../shell/preferences-context';

export interface Times {
  /** `02:41:07` */
  readonly clock: (ms: number) => string;
  /** `02:41:07`, with the date before it when that is not today by the server. */
  readonly moment: (ms: number, nowMs: number | null) => string;
  /** `1 May 2026` */
  readonly day: (ms: number) => string;
  /** Date, time and zone, and the instant as it is in the API, for a tooltip. */
  readonly full: (ms: number) => string;
  /** `UTC`, or the name of the zone here. */
  readonly zoneLabel: string;
}

/** How times are written: in the operator's language, in UTC or in the zone here, always by a 24-hour clock. */
export function useTimes(): Times {
  const locale = useLocale();
  const { zone } = usePreferences();
  return useMemo(() => {
    const timeZone = zone === 'utc' ? { timeZone: 'UTC' } : {};
    const clock = new Intl.DateTimeFormat(locale, { ...timeZone, ...clockFields });
    const day = new Intl.DateTimeFormat(locale, { ...timeZone, ...dayFields });
    const full = new Intl.DateTimeFormat(locale, { ...timeZone, ...dayFields, ...clockFields });
    return {
      clock: (ms) => clock.format(ms),
      moment: (ms, nowMs) =>
        nowMs === null || day.format(ms) === day.format(nowMs)
          ? clock.format(ms)
          : `${shortDay(ms, nowMs, locale, timeZone)} ${clock.format(ms)}`,
      day: (ms) => day.format(ms),
      full: (ms) => `${full.format(ms)} · ${new Date(ms).toISOString()}`,
      zoneLabel: zone === 'utc' ? 'UTC' : localZoneName(locale),
    };
  }, [locale, zone]);
}

const clockFields = {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
} as const;
const dayFields = { day: 'numeric', month: 'short', year: 'numeric' } as const;

function shortDay(
  ms: number,
  nowMs: number,
  locale: string,
  timeZone: { readonly timeZone?: string },
): string {
  const isSameYear = new Date(ms).getUTCFullYear() === new Date(nowMs).getUTCFullYear();
  const fields = isSameYear ? ({ day: 'numeric', month: 'short' } as const) : dayFields;
  return new Intl.DateTimeFormat(locale, { ...timeZone, ...fields }).format(ms);
}

function localZoneName(locale: string): string {
  const parts = new Intl.DateTimeFormat(locale, { timeZoneName: 'short' }).formatToParts(0);
  return parts.find((part) => part.type === 'timeZoneName')?.value ?? 'local';
}

/** The same, and what is shorter than a second in milliseconds. */
export function useFineDuration(): (ms: number) => string {
  const t = useTranslations('duration');
  const duration = useDuration();
  return useMemo(
    () => (ms: number) =>
      ms < 1_000 ? t('milliseconds', { milliseconds: Math.round(ms) }) : duration(ms),
    [t, duration],
  );
}

/** Durations in two units at most, rounded down but for their last: `21 s`, `9 min 41 s`, `3 h 5 min`, `2 d 4 h`. */
export function useDuration(): (ms: number) => string {
  const t = useTranslations('duration');
  return useMemo(
    () => (ms: number) => {
      const seconds = Math.max(0, Math.floor(ms / 1000));
      const [days, hours] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3600) % 24];
      const [minutes, rest] = [Math.floor(seconds / 60) % 60, seconds % 60];
      if (days > 0) return hours > 0 ? t('daysHours', { days, hours }) : t('days', { days });
      if (hours > 0) {
        return minutes > 0 ? t('hoursMinutes', { hours, minutes }) : t('hours', { hours });
      }
      if (minutes > 0) {
        return rest > 0
          ? t('minutesSeconds', { minutes, seconds: rest })
          : t('minutes', { minutes });
      }
      return t('seconds', { seconds: rest });
    },
    [t],
  );
}
