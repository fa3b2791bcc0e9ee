import { StoreUnavailable } from '../locks/errors';
import { unavailable } from './errors';
import type { WaitingClock } from './waiting-clock';

interface Options {
  readonly waiting: WaitingClock;
  /** How long any call waits, in milliseconds. */
  readonly answerMsMax: number;
  /** The most calls under way; one more is refused at once. */
  readonly queueMax: number;
}

interface CallUnderWay {
  readonly untilMs: number;
  readonly giveUp: () => void;
}

/**
 * Counts the calls under way, bounds how long each waits, and tells when the last is answered. All wait equally long, so
 * the oldest is the first that is too late, and one timer serves them all: one for each call would cost more than its
 * share of a transaction.
 */
export class WorkUnderWay {
  readonly #options: Options;
  /** In the order in which they began. */
  readonly #calls = new Set<CallUnderWay>();
  #isClosed = false;
  #onIdle = (): void => undefined;
  #unwatch: (() => void) | null = null;

  constructor(options: Options) {
    this.#options = options;
  }

  /**
   * @param begin starts the call, and returns what to do when nobody waits for it any more.
   * @returns the outcome; rejects with `StoreUnavailable` if there is none in time.
   */
  answer<Outcome>(
    begin: (resolve: (outcome: Outcome) => void, reject: (reason: unknown) => void) => () => void,
  ): Promise<Outcome> {
    const refusal = this.#refusal();
    if (refusal !== null) return Promise.reject(refusal);
    return new Promise<Outcome>((resolve, reject) => {
      const drop = begin(
        (outcome) => {
          this.#settle(call);
          resolve(outcome);
        },
        (reason) => {
          this.#settle(call);
          reject(unavailable(reason));
        },
      );
      const call: CallUnderWay = {
        untilMs: this.#options.waiting.now() + this.#options.answerMsMax,
        giveUp: () => {
          drop();
          this.#settle(call);
          reject(new StoreUnavailable('The store did not answer in time'));
        },
      };
      this.#calls.add(call);
      this.#watch();
    });
  }

  /** Refuses new calls; resolves when those under way have been answered. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#calls.size === 0) return;
    await new Promise<void>((resolve) => (this.#onIdle = resolve));
  }

  #refusal(): StoreUnavailable | null {
    if (this.#isClosed) return new StoreUnavailable('The store is closing');
    if (this.#calls.size < this.#options.queueMax) return null;
    return new StoreUnavailable('Too many calls are waiting');
  }

  #watch(): void {
    const [oldest] = this.#calls;
    if (oldest === undefined || this.#unwatch !== null) return;
    const { waiting } = this.#options;
    // At least 1 ms: timers of a system may ring a little early.
    this.#unwatch = waiting.after(Math.max(1, oldest.untilMs - waiting.now()), () => {
      this.#unwatch = null;
      for (const call of this.#calls) {
        if (call.untilMs > waiting.now()) break;
        call.giveUp();
      }
      this.#watch();
    });
  }

  #settle(call: CallUnderWay): void {
    this.#calls.delete(call);
    if (this.#calls.size > 0) return;
    this.#unwatch?.();
    this.#unwatch = null;
    this.#onIdle();
  }
}
