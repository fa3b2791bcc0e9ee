import { describe, expect, test } from 'vitest';

import { createSlowReads } from './slow-reads';

describe('what slow reads have found', () => {
  test('is kept twenty times as long as it took to read, and told half a minute longer', () => {
    let nowMs = 1_000;
    const reads = createSlowReads<string>(() => nowMs);
    reads.keep('key', 'found', 100);
    nowMs += 1_999;
    expect(reads.recall('key')).toEqual({ found: 'found', isOutdated: false });
    expect(reads.recall('other')).toBeNull();
    nowMs += 1;
    expect(reads.recall('key')).toEqual({ found: 'found', isOutdated: true });
    nowMs += 29_999;
    expect(reads.recall('key')).toEqual({ found: 'found', isOutdated: true });
    nowMs += 1;
    expect(reads.recall('key')).toBeNull();
  });

  test('is kept for so many keys and no more', () => {
    const reads = createSlowReads<number>(() => 0);
    for (let key = 0; key < 1_000; key += 1) reads.keep(String(key), key, 100);
    const kept = Array.from({ length: 1_000 }, (_, key) => reads.recall(String(key)));
    expect(kept.filter((found) => found !== null)).toHaveLength(100);
    expect(kept.at(-1)?.found).toBe(999);
  });
});
