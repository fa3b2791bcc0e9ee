/** Time for waiting, as opposed to the store's clock, which is the truth about leases. */
export interface WaitingClock {
  /** A monotonic reading in milliseconds. */
  now(): number;
  sleep(ms: number): Promise<void>;
  /** Resolves after the input that is ready now has been read: at once when nothing is. */
  turn(): Promise<void>;
  /** Calls back after so many milliseconds, unless what is returned is called before. */
  after(ms: number, callback: () => void): () => void;
  /** From 0 to 1, for jitter. */
  random(): number;
}

const backOffMsMax = 50;

/** Exponential from 1 ms, with jitter, so that two processes on one file do not keep step. */
export function backOffMs(attempt: number, waiting: WaitingClock): number {
  return Math.min(backOffMsMax, 2 ** Math.min(attempt, 10)) * (0.5 + waiting.random() / 2);
}
