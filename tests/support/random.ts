/** Random numbers that can be had again: a failing run prints its seed, and `TEST_SEED` brings it back. */
export interface Random {
  readonly seed: number;
  /** From 0 to 1. */
  next(): number;
  /** A whole number from `min` to `max`, both included. */
  between(min: number, max: number): number;
  pick<T>(choices: readonly [T, ...T[]]): T;
}

export function createRandom(what: string): Random {
  const seed = Number(process.env['TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
  process.stdout.write(`${what}: TEST_SEED=${seed}\n`);
  return randomFrom(seed);
}

/** The same numbers for the same seed. */
export function randomFrom(seed: number): Random {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  return {
    seed,
    next,
    between,
    pick: ([first, ...rest]) => rest[between(0, rest.length) - 1] ?? first,
  };
}
