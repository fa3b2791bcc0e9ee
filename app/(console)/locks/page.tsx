import type { Metadata } from 'next';

import { LocksScreen } from '@/components/locks/locks-screen';
import { messagesOf } from '@/components/shell/locales';
import { readPreferences } from '@/components/shell/read-preferences';

export async function generateMetadata(): Promise<Metadata> {
  const { locale } = await readPreferences();
  return { title: messagesOf(locale).list.title };
}

export default function LocksPage() {
  return <LocksScreen />;
}
