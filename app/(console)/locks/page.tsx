import type { Metadata } from 'next';

import { LocksScreen } from '@/components/locks/locks-screen';

export const metadata: Metadata = { title: 'Locks' };

export default function LocksPage() {
  return <LocksScreen />;
}
