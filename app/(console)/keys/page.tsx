import type { Metadata } from 'next';

import { KeysScreen } from '@/components/api-keys/keys-screen';
import { messagesOf } from '@/components/shell/locales';
import { readPreferences } from '@/components/shell/read-preferences';

export async function generateMetadata(): Promise<Metadata> {
  const { locale } = await readPreferences();
  return { title: messagesOf(locale).apiKeys.title };
}

export default function KeysPage() {
  return <KeysScreen />;
}
