import { isLocale, type Locale } from './locales';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

/** In which zone times are written: the one of logs, or the one of the wall clock here. */
export type Zone = 'utc' | 'local';

export interface Preferences {
  readonly theme: Theme;
  /** Null until chosen: the browser's languages decide. */
  readonly locale: Locale | null;
  readonly zone: Zone;
  readonly areSingleKeysOn: boolean;
}

/** Cookies rather than local storage, so that the first HTML is already in the right language and colours. */
const cookieNames = {
  theme: 'holdfast_theme',
  locale: 'holdfast_locale',
  zone: 'holdfast_zone',
  areSingleKeysOn: 'holdfast_keys',
} as const;

export function parsePreferences(read: (name: string) => string | undefined): Preferences {
  const theme = read(cookieNames.theme);
  const locale = read(cookieNames.locale);
  return {
    theme: themes.find((known) => known === theme) ?? 'system',
    locale: isLocale(locale) ? locale : null,
    zone: read(cookieNames.zone) === 'local' ? 'local' : 'utc',
    areSingleKeysOn: read(cookieNames.areSingleKeysOn) !== 'off',
  };
}

/** Keeps one preference in this browser for a year. */
export function keepPreference(name: keyof Preferences, value: string): void {
  document.cookie = `${cookieNames[name]}=${value}; path=/; max-age=31536000; samesite=lax`;
}
