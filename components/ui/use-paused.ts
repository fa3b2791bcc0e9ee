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

function isPausedHere(): boolean {
  return localStorage.getItem(storageKey) === 'yes';
}

/** Whether the operator has stopped the page from asking by itself; kept in this browser, for all its tabs. */
export function usePaused(): boolean {
  return useSyncExternalStore(subscribe, isPausedHere, () => false);
}

export function togglePaused(): void {
  localStorage.setItem(storageKey, isPausedHere() ? 'no' : 'yes');
  for (const listener of listeners) listener();
}
