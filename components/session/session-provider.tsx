'use client';

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useEffect, useState, type ReactNode } from 'react';

import { meQuery } from '@/lib/queries/me';

import { usePaused } from '../ui/use-paused';
import { AnotherPerson } from './another-person';
import { SessionContext, type Person } from './session-context';
import { SignInAgain } from './sign-in-again';
import { useIsSignedOut } from './signed-out';

/** How often the role is read again, and how often a page that was signed out looks whether it is signed in elsewhere. */
const everyMs = 30_000;
const everyMsWhileSignedOut = 3_000;

/**
 * Who works on this page. Without a session the page gives way to the sign-in; one that ends later is signed in again over
 * the page, which stays as it is.
 */
export function SessionProvider({ children }: { readonly children: ReactNode }) {
  const isSignedOut = useIsSignedOut();
  const isPaused = usePaused();
  const queryClient = useQueryClient();
  const { data } = useQuery({
    ...meQuery,
    refetchOnWindowFocus: isSignedOut || !isPaused,
    refetchInterval: isSignedOut ? everyMsWhileSignedOut : isPaused ? false : everyMs,
  });
  const person = data?.kind === 'person' ? data : null;
  /** Whose page it is: what is on it was read, and typed, by this person. */
  const [opener, setOpener] = useState<Person | null>(null);
  if (opener === null && person !== null) setOpener(person);

  const isKnown = opener !== null;
  useToSignIn(isSignedOut && !isKnown);
  // Also after a sign-in in another tab: what failed meanwhile is read anew. No write is ever repeated.
  useEffect(() => {
    if (!isSignedOut && isKnown) {
      void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'me' });
    }
  }, [isSignedOut, isKnown, queryClient]);

  if (isSignedOut && !isKnown) return null;
  const isAnother = !isSignedOut && person !== null && opener !== null && person.id !== opener.id;
  return (
    <SessionContext value={person}>
      {children}
      {isSignedOut && opener !== null && <SignInAgain before={opener} />}
      {isAnother && <AnotherPerson before={opener} now={person} onGoOn={() => setOpener(person)} />}
    </SessionContext>
  );
}

function useToSignIn(isDue: boolean): void {
  const router = useRouter();
  useEffect(() => {
    if (!isDue) return;
    const { pathname, search, hash } = window.location;
    router.replace(`/sign-in?to=${encodeURIComponent(`${pathname}${search}${hash}`)}`);
  }, [isDue, router]);
}
