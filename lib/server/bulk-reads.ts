import { StoreUnavailable } from '@/lib/locks/errors';

/** How many long reads are made at once. The rest wait, so that between any two of them lock calls get their turn. */
const atOnceMax = 2;
const waitingMax = 200;

/**
 * Long pages of locks and events, one process's. Making one keeps the thread for some milliseconds that a holder's renewal
 * waits; many at once would add up to more than a short lease lasts.
 */
export class BulkReads {
  #underWay = 0;
  readonly #waiting: (() => void)[] = [];

  /** @throws StoreUnavailable when too many wait already. */
  async run<T>(read: () => Promise<T>): Promise<T> {
    if (this.#underWay < atOnceMax) this.#underWay += 1;
    else {
      if (this.#waiting.length >= waitingMax) throw new StoreUnavailable('Too many lists at once');
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    try {
      return await read();
    } finally {
      // The place goes to the next who waits, after whatever else the process has to do.
      const next = this.#waiting.shift();
      if (next === undefined) this.#underWay -= 1;
      else setImmediate(next);
    }
  }
}
