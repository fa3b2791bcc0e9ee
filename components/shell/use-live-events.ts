'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';

import type { StreamState } from '@/lib/queries/event-connection';
import { createRefresher } from '@/lib/queries/refresh-on-events';
import { shareEvents } from '@/lib/queries/shared-events';

import { usePaused } from '../ui/use-paused';

/**
 * Lets what happens refresh what is shown, while somebody can see it and nobody has paused.
 *
 * @returns how the stream stands; null while there is none, and the page asks from time to time.
 */
export function useLiveEvents(): StreamState | null {
  const isPaused = usePaused();
  const isVisible = useVisible();
  const queryClient = useQueryClient();
  const [state, setState] = useState<StreamState | null>(null);
  const isWanted = isVisible && !isPaused;

  useEffect(() => {
    if (!isWanted) return;
    const onChange = createRefresher(queryClient);
    const stop = shareEvents({ onState: setState, onChange });
    return () => {
      stop();
      setState(null);
    };
  }, [isWanted, queryClient]);
  return state;
}

function subscribe(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
}

function useVisible(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => document.visibilityState === 'visible',
    () => false,
  );
}
