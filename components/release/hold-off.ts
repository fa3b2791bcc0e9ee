import type { LockOnWire } from '@/lib/contract/answers';

/** How long a lock stays closed after a forced release: what is left of the lease, or so many seconds. */
export type HoldOff = 'rest' | number;

export const holdOffSeconds = [0, 60, 300, 900, 3600, 14_400] as const;

/** What is left of the lease, rounded up to seconds. */
export function restSeconds(lock: LockOnWire, nowMs: number): number {
  return Math.max(0, Math.ceil((Date.parse(lock.expires_at) - nowMs) / 1000));
}

export function holdSecondsOf(holdOff: HoldOff, lock: LockOnWire, nowMs: number): number {
  return holdOff === 'rest' ? restSeconds(lock, nowMs) : holdOff;
}
