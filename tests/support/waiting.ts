import { setTimeout as delay } from 'node:timers/promises';

/** Waiting for something that is known to happen, with a bound that only a broken system reaches. */

/** @throws when the promise has not settled in time. */
export async function deadline<T>(
  promise: Promise<T>,
  withinMs: number,
  describe: () => string,
): Promise<T> {
  const timer = new AbortController();
  const late = delay(withinMs, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`After ${withinMs} ms ${describe()}`);
  });
  // Once the promise has won, the timer's end concerns nobody.
  late.catch(() => undefined);
  try {
    return await Promise.race([promise, late]);
  } finally {
    timer.abort();
  }
}

export interface Patience {
  readonly withinMs: number;
  /** Between two looks. */
  readonly everyMs?: number;
  /** What is said when it did not happen. */
  readonly describe: () => string;
}

/** Looks until there is something to see. Null means: not yet. */
export async function poll<T>(
  look: () => Promise<T | null> | T | null,
  patience: Patience,
): Promise<T> {
  const endMs = performance.now() + patience.withinMs;
  for (;;) {
    const seen = await look();
    if (seen !== null) return seen;
    if (performance.now() > endMs) {
      throw new Error(`After ${patience.withinMs} ms ${patience.describe()}`);
    }
    await delay(patience.everyMs ?? 20);
  }
}
