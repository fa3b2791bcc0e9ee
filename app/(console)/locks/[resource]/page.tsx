import type { Metadata } from 'next';
import { notFound } from 'next/navigation';

import { LockScreen } from '@/components/lock/lock-screen';
import { plainText } from '@/components/ui/plain-text';

interface LockPageProps {
  readonly params: Promise<{ readonly resource: string }>;
}

export async function generateMetadata({ params }: LockPageProps): Promise<Metadata> {
  const resource = decodeSegment((await params).resource);
  return { title: resource === null ? 'Lock' : plainText(resource) };
}

export default async function LockPage({ params }: LockPageProps) {
  const resource = decodeSegment((await params).resource);
  if (resource === null) notFound();
  return <LockScreen key={resource} resource={resource} />;
}

/** The segment as it stands in the URL → the name; null when its escapes are broken, for then it names no lock. */
function decodeSegment(segment: string): string | null {
  try {
    return decodeURIComponent(segment).normalize('NFC');
  } catch {
    return null;
  }
}
