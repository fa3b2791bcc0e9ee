import type { Metadata } from 'next';

import { SignInScreen } from '@/components/session/sign-in-screen';
import { messagesOf } from '@/components/shell/locales';
import { readPreferences } from '@/components/shell/read-preferences';

export async function generateMetadata(): Promise<Metadata> {
  const { locale } = await readPreferences();
  return { title: messagesOf(locale).session.signIn };
}

interface SignInPageProps {
  readonly searchParams: Promise<Readonly<Record<string, string | string[] | undefined>>>;
}

export default async function SignInPage({ searchParams }: SignInPageProps) {
  const { to, error } = await searchParams;
  return <SignInScreen to={one(to)} providerError={one(error)} />;
}

/** Of a parameter that is given twice none counts. */
function one(value: string | string[] | undefined): string | null {
  return typeof value === 'string' ? value : null;
}
