import '@fontsource-variable/atkinson-hyperlegible-next';
import '@fontsource-variable/atkinson-hyperlegible-mono';
import './globals.css';

import type { Metadata, Viewport } from 'next';
import { cookies, headers } from 'next/headers';
import type { ReactNode } from 'react';

import { Providers } from '@/components/shell/providers';
import { chooseLocale, messagesOf } from '@/components/shell/locales';
import { parsePreferences } from '@/components/shell/preferences';

export const metadata: Metadata = {
  title: { default: 'Holdfast', template: '%s · Holdfast' },
  robots: { index: false, follow: false },
  referrer: 'no-referrer',
};

export const viewport: Viewport = { colorScheme: 'light dark' };

export default async function RootLayout({ children }: { readonly children: ReactNode }) {
  const jar = await cookies();
  const preferences = parsePreferences((name) => jar.get(name)?.value);
  const locale = preferences.locale ?? chooseLocale((await headers()).get('accept-language'));

  return (
    <html lang={locale} data-theme={preferences.theme}>
      <body>
        <Providers locale={locale} messages={messagesOf(locale)} preferences={preferences}>
          {children}
        </Providers>
      </body>
    </html>
  );
}
