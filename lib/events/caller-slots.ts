/** How many streams or exports there are under way, in all and for each caller: a few must not take all the places. */
export class CallerSlots {
  readonly #max: number;
  readonly #perCallerMax: number;
  readonly #byCaller = new Map<string, number>();
  #open = 0;

  constructor(limits: { readonly max: number; readonly perCallerMax: number }) {
    this.#max = limits.max;
    this.#perCallerMax = limits.perCallerMax;
  }

  get open(): number {
    return this.#open;
  }

  /** @returns what gives the slot back, which may be called again; or why there is none. */
  take(callerId: string): (() => void) | 'full' | 'caller-full' {
    const own = this.#byCaller.get(callerId) ?? 0;
    if (own >= this.#perCallerMax) return 'caller-full';
    if (this.#open >= this.#max) return 'full';
    this.#open += 1;
    this.#byCaller.set(callerId, own + 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#open -= 1;
      const left = (this.#byCaller.get(callerId) ?? 1) - 1;
      if (left === 0) this.#byCaller.delete(callerId);
      else this.#byCaller.set(callerId, left);
    };
  }
}
