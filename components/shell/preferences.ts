import { isLocale, type Locale } from './locales';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

/** In which zone times are written: the one of logs, or the one of the wall clock here. */
export type Zone = 'utc' | 'local';

export const densities = ['compact', 'comfortable'] as const;
export type Density = (typeof densities)[number];

/** Columns of the list that one may switch on; the others are always there. */
export const extraColumns = ['acquired', 'expires', 'fence', 'client'] as const;
export type ExtraColumn = (typeof extraColumns)[number];

export interface Preferences {
  readonly theme: Theme;
  /** Null until chosen: the browser's languages decide. */
  readonly locale: Locale | null;
  readonly zone: Zone;
  readonly areSingleKeysOn: boolean;
  readonly density: Density;
  readonly columns: readonly ExtraColumn[];
}

/** Cookies rather than local storage, so that the first HTML is already in the right language and colours. */
const cookieNames = {
  theme: 'holdfast_theme',
  locale: 'holdfast_locale',
  zone: 'holdfast_zone',
  areSingleKeysOn: 'holdfast_keys',
  density: 'holdfast_density',
  columns: 'holdfast_columns',
} as const;

export function parsePreferences(read: (name: string) => string | undefined): Preferences {
  const theme = read(cookieNames.theme);
  const locale = read(cookieNames.locale);
  const wanted: readonly string[] = (read(cookieNames.columns) ?? '').split('.');
  return {
    theme: themes.find((known) => known === theme) ?? 'system',
    locale: isLocale(locale) ? locale : null,
    zone: read(cookieNames.zone) === 'local' ? 'local' : 'utc',
    areSingleKeysOn: read(cookieNames.areSingleKeysOn) !== 'off',
    density: read(cookieNames.density) === 'comfortable' ? 'comfortable' : 'compact',
    columns: extraColumns.filter((column) => wanted.includes(column)),
  };
}

/** Keeps one preference in this browser for a year. */
export function keepPreference(name: keyof Preferences, value: string): void {
  document.cookie = `${cookieNames[name]}=${value}; path=/; max-age=31536000; samesite=lax`;
}
