import type { Metadata } from 'next';

import { messagesOf } from '@/components/shell/locales';
import { readPreferences } from '@/components/shell/read-preferences';
import { StatusScreen } from '@/components/status/status-screen';

export async function generateMetadata(): Promise<Metadata> {
  const { locale } = await readPreferences();
  return { title: messagesOf(locale).status.title };
}

export default function StatusPage() {
  return <StatusScreen />;
}
