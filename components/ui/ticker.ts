'use client';

import { useSyncExternalStore } from 'react';

/** One clock for everything that counts: it runs while somebody looks, and only what is drawn follows it. */
const tickMs = 1_000;

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let monotonicMs = 0;

function tick() {
  monotonicMs = performance.now();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    monotonicMs = performance.now();
    timer = setInterval(tick, tickMs);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) clearInterval(timer);
  };
}

/** `performance.now()` of the last tick, in milliseconds; 0 on the server. */
export function useTickMs(): number {
  return useSyncExternalStore(
    subscribe,
    () => monotonicMs,
    () => 0,
  );
}
