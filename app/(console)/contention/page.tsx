import type { Metadata } from 'next';

import { ContentionScreen } from '@/components/contention/contention-screen';
import { messagesOf } from '@/components/shell/locales';
import { readPreferences } from '@/components/shell/read-preferences';

export async function generateMetadata(): Promise<Metadata> {
  const { locale } = await readPreferences();
  return { title: messagesOf(locale).contention.title };
}

export default function ContentionPage() {
  return <ContentionScreen />;
}
