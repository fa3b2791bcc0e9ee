'use client';

import { useSyncExternalStore } from 'react';

const storageKey = 'holdfast:paused';
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}

/** For browsers that refuse storage: then it lasts as long as the page. */
let isPausedInMemory = false;

function isPausedHere(): boolean {
  try {
    return localStorage.getItem(storageKey) === 'yes';
  } catch {
    return isPausedInMemory;
  }
}

/** Whether the operator has stopped the page from asking by itself; kept in this browser, for all its tabs. */
export function usePaused(): boolean {
  return useSyncExternalStore(subscribe, isPausedHere, () => false);
}

export function togglePaused(): void {
  const isPaused = !isPausedHere();
  isPausedInMemory = isPaused;
  try {
    localStorage.setItem(storageKey, isPaused ? 'yes' : 'no');
  } catch {
    // Kept in memory above.
  }
  for (const listener of listeners) listener();
}
