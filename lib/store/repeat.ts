import type { WaitingClock } from './waiting-clock';

interface RepeatOptions {
  /** From being woken to the run, in milliseconds. */
  readonly afterMs: number;
  readonly waiting: Pick<WaitingClock, 'after'>;
  /** Never rejects. */
  readonly run: () => Promise<void>;
}

/** Work that is done a while after somebody woke it, and never twice at the same time. */
export interface Repeated {
  wake(): void;
  /** Cancels what is to come; resolves when what is under way has ended. */
  stop(): Promise<void>;
  /** The same, after a last run. */
  finish(): Promise<void>;
}

export function repeat({ afterMs, waiting, run }: RepeatOptions): Repeated {
  let cancel: (() => void) | null = null;
  let underWay: Promise<void> = Promise.resolve();
  let isStopped = false;

  function start(): Promise<void> {
    cancel = null;
    underWay = underWay.then(run);
    return underWay;
  }

  function stop(): Promise<void> {
    isStopped = true;
    cancel?.();
    cancel = null;
    return underWay;
  }

  return {
    wake() {
      if (isStopped || cancel !== null) return;
      cancel = waiting.after(afterMs, () => void start());
    },
    stop,
    async finish() {
      await stop();
      await start();
    },
  };
}
