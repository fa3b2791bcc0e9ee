'use client';

import { useRouter } from 'next/navigation';
import { createContext, use, useMemo, useState, type ReactNode } from 'react';

import type { Locale } from './locales';
import {
  keepPreference,
  type Density,
  type ExtraColumn,
  type Preferences,
  type Theme,
  type Zone,
} from './preferences';

interface PreferencesInUse extends Preferences {
  readonly setTheme: (theme: Theme) => void;
  readonly setLocale: (locale: Locale) => void;
  readonly setZone: (zone: Zone) => void;
  readonly setSingleKeys: (areOn: boolean) => void;
  readonly setDensity: (density: Density) => void;
  readonly setColumns: (columns: readonly ExtraColumn[]) => void;
}

const PreferencesContext = createContext<PreferencesInUse | null>(null);

export function usePreferences(): PreferencesInUse {
  const preferences = use(PreferencesContext);
  if (preferences === null) throw new Error('usePreferences needs PreferencesProvider above it.');
  return preferences;
}

interface PreferencesProviderProps {
  readonly initial: Preferences;
  readonly children: ReactNode;
}

export function PreferencesProvider({ initial, children }: PreferencesProviderProps) {
  const router = useRouter();
  const [preferences, setPreferences] = useState(initial);

  const value = useMemo(() => {
    const change = (changed: Partial<Preferences>) =>
      setPreferences((current) => ({ ...current, ...changed }));
    return {
      ...preferences,
      setTheme(theme: Theme) {
        keepPreference('theme', theme);
        document.documentElement.dataset['theme'] = theme;
        change({ theme });
      },
      setLocale(locale: Locale) {
        keepPreference('locale', locale);
        change({ locale });
        // The catalogue comes from the server; what is on screen stays as it is meanwhile.
        router.refresh();
      },
      setZone(zone: Zone) {
        keepPreference('zone', zone);
        change({ zone });
      },
      setSingleKeys(areOn: boolean) {
        keepPreference('areSingleKeysOn', areOn ? 'on' : 'off');
        change({ areSingleKeysOn: areOn });
      },
      setDensity(density: Density) {
        keepPreference('density', density);
        document.documentElement.dataset['density'] = density;
        change({ density });
      },
      setColumns(columns: readonly ExtraColumn[]) {
        keepPreference('columns', columns.join('.'));
        change({ columns });
      },
    };
  }, [preferences, router]);

  return <PreferencesContext value={value}>{children}</PreferencesContext>;
}
