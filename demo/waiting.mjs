import { setTimeout as delay } from 'node:timers/promises';

/** Waits, and returns early when the signal is aborted. */
export async function pause(ms, signal) {
  if (ms <= 0 || signal.aborted) return;
  await delay(ms, null, { signal }).catch(() => undefined);
}

export function between(from, to) {
  return from + Math.random() * (to - from);
}

export function randomOf(list) {
  return list[Math.floor(Math.random() * list.length)];
}
