import { setImmediate as turn } from 'node:timers/promises';

import type { Waiting } from '@/lib/events/waiting';

/** Time for waiting that only the test moves. */
export class HandClock implements Waiting {
  #nowMs = 0;
  readonly #timers = new Set<{ readonly dueMs: number; readonly callback: () => void }>();

  now(): number {
    return this.#nowMs;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { dueMs: this.#nowMs + ms, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** How long the next pause is; null if nobody waits. */
  get nextMs(): number | null {
    const due = [...this.#timers].map(({ dueMs }) => dueMs);
    return due.length === 0 ? null : Math.min(...due) - this.#nowMs;
  }

  /** Lets so much time pass, and whatever is due in it happen. */
  async pass(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms;
    for (let next = this.nextMs; next !== null && this.#nowMs + next <= endMs; next = this.nextMs) {
      this.#nowMs += next;
      for (const timer of [...this.#timers].filter(({ dueMs }) => dueMs <= this.#nowMs)) {
        this.#timers.delete(timer);
        timer.callback();
      }
      // What it began is done by the memory store without waiting for anything.
      await turn();
    }
    this.#nowMs = endMs;
  }
}
