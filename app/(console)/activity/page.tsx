import type { Metadata } from 'next';

import { ActivityScreen } from '@/components/activity/activity-screen';
import { messagesOf } from '@/components/shell/locales';
import { readPreferences } from '@/components/shell/read-preferences';

export async function generateMetadata(): Promise<Metadata> {
  const { locale } = await readPreferences();
  return { title: messagesOf(locale).activity.title };
}

export default function ActivityPage() {
  return <ActivityScreen />;
}
