'use client';

import { CSPProvider } from '@base-ui/react/csp-provider';
import { Toast } from '@base-ui/react/toast';
import { QueryClientProvider } from '@tanstack/react-query';
import { NuqsAdapter } from 'nuqs/adapters/next/app';
import { useState, type ReactNode } from 'react';
import { IntlProvider } from 'use-intl';

import { watchedQueryClient } from '../session/signed-out';
import { Toasts } from '../ui/toasts';
import type { Locale, Messages } from './locales';
import type { Preferences } from './preferences';
import { PreferencesProvider } from './preferences-context';

interface ProvidersProps {
  readonly locale: Locale;
  readonly messages: Messages;
  readonly preferences: Preferences;
  readonly children: ReactNode;
}

export function Providers({ locale, messages, preferences, children }: ProvidersProps) {
  const [queryClient] = useState(watchedQueryClient);
  return (
    <IntlProvider locale={locale} messages={messages} timeZone="UTC">
      <PreferencesProvider initial={preferences}>
        <CSPProvider disableStyleElements>
          <QueryClientProvider client={queryClient}>
            <NuqsAdapter>
              <Toast.Provider limit={4}>
                {children}
                <Toasts />
              </Toast.Provider>
            </NuqsAdapter>
          </QueryClientProvider>
        </CSPProvider>
      </PreferencesProvider>
    </IntlProvider>
  );
}
