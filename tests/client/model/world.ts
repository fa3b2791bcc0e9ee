/** Time that goes from event to event, and machines whose clocks, timers and processes may fail. */
export class World {
  nowMs = 0;
  readonly #events: { readonly atMs: number; readonly order: number; readonly run: () => void }[] =
    [];
  #order = 0;
  #handled = 0;

  at(atMs: number, run: () => void): void {
    this.#events.push({ atMs: Math.max(atMs, this.nowMs), order: this.#order, run });
    this.#order += 1;
  }

  /** Runs until nothing is left to happen. `check` is called whenever all that happens at one time has happened. */
  async run(check: () => void, eventsMax: number): Promise<void> {
    for (;;) {
      await settle();
      const next = this.#next();
      if (next === undefined || next.atMs > this.nowMs) check();
      if (next === undefined) return;
      this.#handled += 1;
      if (this.#handled > eventsMax) throw new Error(`Still busy after ${eventsMax} events`);
      this.#events.splice(this.#events.indexOf(next), 1);
      this.nowMs = next.atMs;
      next.run();
    }
  }

  #next() {
    let first = this.#events[0];
    for (const event of this.#events) {
      const isEarlier =
        first === undefined ||
        event.atMs < first.atMs ||
        (event.atMs === first.atMs && event.order < first.order);
      if (isEarlier) first = event;
    }
    return first;
  }
}

/** Until every promise that can settle has settled. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

interface Timer {
  isCleared: boolean;
}

/** A machine with one process: its clocks drift, its process blocks, it is suspended as a whole. */
export class Machine {
  readonly #world: World;
  readonly #random: () => number;
  /** How fast its clocks go. */
  readonly #rate: number;
  readonly #timers = new Set<Timer>();
  #wallOffsetMs: number;
  #suspendedMs = 0;
  #stillUntilMs = 0;
  /** Until when a loss may go unnoticed since the machine has just woken, by the world's time. */
  wakingUntilMs = 0;

  constructor(world: World, random: () => number) {
    this.#world = world;
    this.#random = random;
    this.#rate = 1 + (random() - 0.5) * 0.0008;
    this.#wallOffsetMs = random() * 1_000_000;
  }

  get pendingTimers(): number {
    return this.#timers.size;
  }

  get isStill(): boolean {
    return this.#world.nowMs < this.#stillUntilMs;
  }

  readonly clock = {
    monotonicMs: () => (this.#world.nowMs - this.#suspendedMs) * this.#rate,
    wallMs: () => this.#world.nowMs * this.#rate + this.#wallOffsetMs,
    random: () => this.#random(),
    setTimeout: (callback: () => void, ms: number): unknown => {
      const timer: Timer = { isCleared: false };
      this.#timers.add(timer);
      // As platforms do: what is too long for 31 bits fires at once.
      this.#arm(timer, callback, this.clock.monotonicMs() + (ms > 2 ** 31 - 1 ? 1 : ms));
      return timer;
    },
    clearTimeout: (timer: unknown): void => {
      for (const each of this.#timers) if (each === timer) this.#drop(each);
    },
  };

  /** What reaches this process, once it runs. */
  deliver(atMs: number, run: () => void): void {
    this.#world.at(atMs, () => {
      if (this.isStill) this.deliver(this.#stillUntilMs, run);
      else run();
    });
  }

  /** The event loop turns no more for a while: timers and answers are late. */
  block(ms: number): void {
    this.#stillUntilMs = Math.max(this.#stillUntilMs, this.#world.nowMs + ms);
  }

  /** The machine sleeps: its monotonic clock stands still as well, the wall's goes on. */
  suspend(ms: number): void {
    if (this.isStill) return;
    this.block(ms);
    this.#suspendedMs += ms;
    this.wakingUntilMs = this.#stillUntilMs + 1_010;
  }

  /** Somebody sets the wall clock back. */
  setBack(ms: number): void {
    this.#wallOffsetMs -= ms;
  }

  #arm(timer: Timer, callback: () => void, dueMs: number): void {
    const inMs = (dueMs - this.clock.monotonicMs()) / this.#rate;
    this.deliver(this.#world.nowMs + inMs, () => {
      if (timer.isCleared) return;
      if (this.clock.monotonicMs() < dueMs - 1e-6) {
        this.#arm(timer, callback, dueMs);
        return;
      }
      this.#drop(timer);
      callback();
    });
  }

  #drop(timer: Timer): void {
    timer.isCleared = true;
    this.#timers.delete(timer);
  }
}
