/**
 * What a slow read found, kept for a while in proportion to its cost: however many ask, the store spends a bounded share
 * of its time on it. Whether a reading may be kept at all is for its reader to say.
 */
export interface SlowReads<T> {
  /** What was found under this key lately; null if there is nothing. */
  recall(key: string): Recalled<T> | null;
  /** @param tookMs how long the reading took. */
  keep(key: string, found: T, tookMs: number): void;
}

export interface Recalled<T> {
  readonly found: T;
  /** Whether it may be read again by now. */
  readonly isOutdated: boolean;
}

/** How many times as long as it took to read, it is kept. */
const keptFor = 20;
/** How much older it may be told while it is read again, in milliseconds. */
const outdatedMsMax = 30_000;
const keysMax = 100;

/** @param monotonicMs this process's monotonic clock. */
export function createSlowReads<T>(monotonicMs: () => number): SlowReads<T> {
  const kept = new Map<string, { readonly found: T; readonly untilMs: number }>();
  return {
    recall(key) {
      const entry = kept.get(key);
      if (entry === undefined) return null;
      const overdueMs = monotonicMs() - entry.untilMs;
      if (overdueMs < outdatedMsMax) return { found: entry.found, isOutdated: overdueMs >= 0 };
      kept.delete(key);
      return null;
    },
    keep(key, found, tookMs) {
      kept.delete(key);
      for (const oldest of kept.keys()) {
        if (kept.size < keysMax) break;
        kept.delete(oldest);
      }
      kept.set(key, { found, untilMs: monotonicMs() + keptFor * tookMs });
    },
  };
}
