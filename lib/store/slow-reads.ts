/**
 * What a slow read found, kept for a while in proportion to its cost: however many ask, the store spends a bounded share
 * of its time on it. Whether a reading may be kept at all is for its reader to say.
 */
export interface SlowReads<T> {
  /** What was found under this key lately; null if it is to be read again. */
  recall(key: string): T | null;
  /** @param tookMs how long the reading took. */
  keep(key: string, found: T, tookMs: number): void;
}

/** How many times as long as it took to read, it is kept. */
const keptFor = 20;
const keysMax = 100;

/** @param monotonicMs this process's monotonic clock. */
export function createSlowReads<T>(monotonicMs: () => number): SlowReads<T> {
  const kept = new Map<string, { readonly found: T; readonly untilMs: number }>();
  return {
    recall(key) {
      const entry = kept.get(key);
      if (entry === undefined) return null;
      if (monotonicMs() < entry.untilMs) return entry.found;
      kept.delete(key);
      return null;
    },
    keep(key, found, tookMs) {
      for (const oldest of kept.keys()) {
        if (kept.size < keysMax) break;
        kept.delete(oldest);
      }
      kept.set(key, { found, untilMs: monotonicMs() + keptFor * tookMs });
    },
  };
}
