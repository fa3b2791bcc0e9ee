import { QueryCache, MutationCache, QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';

import { ApiError } from '@/lib/queries/api-error';
import { meQuery } from '@/lib/queries/me';

/** Whether the server has said, since it last knew the person, that it knows nobody. */
let isSignedOut = false;
const listeners = new Set<() => void>();

function set(isNow: boolean) {
  if (isSignedOut === isNow) return;
  isSignedOut = isNow;
  for (const listener of listeners) listener();
}

export function useIsSignedOut(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => isSignedOut,
    () => false,
  );
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Any answer that knows nobody is noticed here, whichever read or write it answers. A refused sign-in is none. */
export function watchedQueryClient(): QueryClient {
  const note = (error: Error, meta: Readonly<Record<string, unknown>> | undefined) => {
    const isUnknown = error instanceof ApiError && error.code === 'unauthenticated';
    if (isUnknown && meta?.['isSignIn'] !== true) set(true);
  };
  return new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => note(error, query.meta),
      onSuccess: (_, query) => {
        if (query.queryKey[0] === meQuery.queryKey[0]) set(false);
      },
    }),
    mutationCache: new MutationCache({
      onError: (error, _variables, _result, mutation) => note(error, mutation.meta),
    }),
  });
}
