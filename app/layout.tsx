import '@fontsource-variable/atkinson-hyperlegible-next';
import '@fontsource-variable/atkinson-hyperlegible-mono';
import './globals.css';

import type { Metadata, Viewport } from 'next';
import type { ReactNode } from 'react';

import { readPreferences } from '@/components/shell/read-preferences';
import { Providers } from '@/components/shell/providers';
import { messagesOf } from '@/components/shell/locales';

export const metadata: Metadata = {
  title: { default: 'Holdfast', template: '%s · Holdfast' },
  robots: { index: false, follow: false },
  referrer: 'no-referrer',
};

export const viewport: Viewport = { colorScheme: 'light dark' };

export default async function RootLayout({ children }: { readonly children: ReactNode }) {
  const { preferences, locale } = await readPreferences();

  return (
    <html lang={locale} data-theme={preferences.theme} data-density={preferences.density}>
      <body>
        <Providers locale={locale} messages={messagesOf(locale)} preferences={preferences}>
          {children}
        </Providers>
      </body>
    </html>
  );
}
