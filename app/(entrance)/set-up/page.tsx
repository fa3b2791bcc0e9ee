import type { Metadata } from 'next';

import { SetUpScreen } from '@/components/session/set-up-screen';
import { messagesOf } from '@/components/shell/locales';
import { readPreferences } from '@/components/shell/read-preferences';

export async function generateMetadata(): Promise<Metadata> {
  const { locale } = await readPreferences();
  return { title: messagesOf(locale).session.linkTitle };
}

export default function SetUpPage() {
  return <SetUpScreen />;
}
