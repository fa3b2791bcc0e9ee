import type { Metadata } from 'next';

import { MembersScreen } from '@/components/members/members-screen';
import { messagesOf } from '@/components/shell/locales';
import { readPreferences } from '@/components/shell/read-preferences';

export async function generateMetadata(): Promise<Metadata> {
  const { locale } = await readPreferences();
  return { title: messagesOf(locale).members.title };
}

export default function MembersPage() {
  return <MembersScreen />;
}
