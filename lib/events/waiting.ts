/** Time for waiting: how the work beside the calls paces itself. */
export interface Waiting {
  /** A monotonic reading in milliseconds. */
  now(): number;
  /** Calls back after so many milliseconds, unless what is returned is called before. */
  after(ms: number, callback: () => void): () => void;
}

/** Pieces of work one after the other, with a pause between them that an end cuts short. */
export interface Rounds {
  /** Resolves when the piece under way is done; no other begins. */
  stop(): Promise<void>;
}

/**
 * @param round does one piece and says how long to pause, in milliseconds. It never rejects.
 * @param firstMs how long to pause before the first.
 */
export function startRounds(
  round: () => Promise<number>,
  firstMs: number,
  waiting: Pick<Waiting, 'after'>,
): Rounds {
  let isStopped = false;
  let underWay: Promise<void> = Promise.resolve();
  let cancel = waiting.after(firstMs, next);

  function next(): void {
    underWay = round().then((pauseMs) => {
      if (!isStopped) cancel = waiting.after(pauseMs, next);
    });
  }

  return {
    async stop() {
      isStopped = true;
      cancel();
      await underWay;
    },
  };
}
