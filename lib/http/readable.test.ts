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
    const reader = readableOf(pieces, { onCutOff: () => undefined }).getReader();
    await Promise.resolve();
    expect(seen.made).toBe(0);
    for (let reads = 1; reads <= 3; reads += 1) {
      await reader.read();
      expect(seen.made).toBe(reads);
    }
  });

  test('ends its source when the reader goes away', async () => {
    const { seen, pieces } = source(1_000);
    const reader = readableOf(pieces, { onCutOff: () => undefined }).getReader();
    await reader.read();
    await reader.cancel();
    expect(seen).toEqual({ made: 1, isEnded: true });
  });

  test('is whole', async () => {
    const { pieces } = source(3);
    expect(await new Response(readableOf(pieces, { onCutOff: () => undefined })).text()).toBe(
      '0;1;2;',
    );
  });

  test('fails for the reader when its source fails, and says so', async () => {
    const errors: unknown[] = [];
    const { pieces } = source(3, 2);
    const read = new Response(
      readableOf(pieces, { onCutOff: (error) => errors.push(error) }),
    ).text();
    await expect(read).rejects.toThrow('the store is gone');
    expect(errors).toHaveLength(1);
  });

  test('cuts off a reader that takes nothing, ends its source, and is over once', async () => {
    const errors: unknown[] = [];
    let ends = 0;
    const { seen, pieces } = source(1_000);
    const body = readableOf(pieces, {
      onCutOff: (error) => errors.push(error),
      onEnd: () => (ends += 1),
      stallMs: 20,
    });
    const reader = body.getReader();
    await reader.read();
    await expect.poll(() => errors.length, { timeout: 5_000 }).toBe(1);
    await expect(reader.read()).rejects.toThrow('took nothing');
    expect(seen.isEnded).toBe(true);
    expect(ends).toBe(1);
  });

  test.each([
    ['read to its end', async (reader: ReadableStreamDefaultReader) => readAll(reader)],
    ['given up', async (reader: ReadableStreamDefaultReader) => reader.cancel()],
  ])('gives its place back once when %s', async (_, end) => {
    let ends = 0;
    const { pieces } = source(3);
    const body = readableOf(pieces, { onCutOff: () => undefined, onEnd: () => (ends += 1) });
    await end(body.getReader());
    expect(ends).toBe(1);
  });
});

async function readAll(reader: ReadableStreamDefaultReader): Promise<void> {
  while (!(await reader.read()).done);
}
