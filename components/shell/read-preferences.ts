import { cookies, headers } from 'next/headers';

import { chooseLocale, type Locale } from './locales';
import { parsePreferences, type Preferences } from './preferences';

/** How this request's reader wants to read: what was chosen before, or what the browser asks for. */
export async function readPreferences(): Promise<{ preferences: Preferences; locale: Locale }> {
  const jar = await cookies();
  const preferences = parsePreferences((name) => jar.get(name)?.value);
  const locale = preferences.locale ?? chooseLocale((await headers()).get('accept-language'));
  return { preferences, locale };
}
