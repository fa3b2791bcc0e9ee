/** Time and chance as the client sees them. Every wait goes through here, so that a test can bring its own. */
export interface Clock {
  /** Milliseconds that never go back, from any origin. */
  monotonicMs(): number;
  /** The wall's milliseconds, which go on while the machine sleeps: the monotonic ones may stand still then. */
  wallMs(): number;
  /** From 0 up to 1. */
  random(): number;
  setTimeout(callback: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}

export const systemClock: Clock = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  random: () => Math.random(),
  setTimeout: (callback, ms) => setTimeout(callback, ms),
  clearTimeout: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
};

/** A point in time, by both clocks. */
export interface Moment {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

export function momentOf(clock: Clock): Moment {
  return { monotonicMs: clock.monotonicMs(), wallMs: clock.wallMs() };
}

/** Since then, by whichever clock says more: one stands still in a suspended machine, the other may be set back. */
export function elapsedMs(clock: Clock, since: Moment): number {
  return Math.max(clock.monotonicMs() - since.monotonicMs, clock.wallMs() - since.wallMs);
}

/** Something that can end a sleep early: it is given the alarm, and gives back how to take it away. */
export type Waker = (wake: () => void) => () => void;

/** Resolves after a while, or when a waker says so. */
export function sleep(clock: Clock, ms: number, wakers: readonly Waker[] = []): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      clock.clearTimeout(timer);
      for (const remove of removes) remove();
      resolve();
    };
    const timer = clock.setTimeout(wake, ms);
    const removes = wakers.map((waker) => waker(wake));
  });
}

/** Ends a sleep when the signal is aborted. */
export function abortWaker(signal: AbortSignal): Waker {
  return (wake) => {
    signal.addEventListener('abort', wake);
    return () => signal.removeEventListener('abort', wake);
  };
}
