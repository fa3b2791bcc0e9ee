import { describe, expect, test } from 'vitest';

import { readableOf } from './readable';

/** A source of numbered pieces that tells how many were made and whether it was ended. */
function source(pieces: number, failsAt = Infinity) {
  const seen = { made: 0, isEnded: false };
  async function* make() {
    try {
      for (let piece = 0; piece < pieces; piece += 1) {
        if (piece === failsAt) throw new Error('the store is gone');
        seen.made += 1;
        yield await Promise.resolve(`${piece};`);
      }
    } finally {
      seen.isEnded = true;
    }
  }
  return { seen, pieces: make() };
}

describe('a stream of text as a body', () => {
  test('is made while it is read, and no sooner', async () => {
    const { seen, pieces } = source(1_000);
    const reader = readableOf(pieces, () => undefined).getReader();
    await Promise.resolve();
    expect(seen.made).toBe(0);
    for (let reads = 1; reads <= 3; reads += 1) {
      await reader.read();
      expect(seen.made).toBe(reads);
    }
  });

  test('ends its source when the reader goes away', async () => {
    const { seen, pieces } = source(1_000);
    const reader = readableOf(pieces, () => undefined).getReader();
    await reader.read();
    await reader.cancel();
    expect(seen).toEqual({ made: 1, isEnded: true });
  });

  test('is whole', async () => {
    const { pieces } = source(3);
    expect(await new Response(readableOf(pieces, () => undefined)).text()).toBe('0;1;2;');
  });

  test('fails for the reader when its source fails, and says so', async () => {
    const errors: unknown[] = [];
    const { pieces } = source(3, 2);
    const read = new Response(readableOf(pieces, (error) => errors.push(error))).text();
    await expect(read).rejects.toThrow('the store is gone');
    expect(errors).toHaveLength(1);
  });
});
