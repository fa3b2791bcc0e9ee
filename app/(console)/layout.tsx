import type { ReactNode } from 'react';

import { SessionProvider } from '@/components/session/session-provider';

/** Every page but the entrance is for people who have signed in. */
export default function ConsoleLayout({ children }: { readonly children: ReactNode }) {
  return <SessionProvider>{children}</SessionProvider>;
}
