import { StoreUnavailable } from '../locks/errors';

/**
 * Group commit: calls of one kind that arrive while a transaction is under way ride together in the next one, so that
 * one fsync serves them all. When idle a call goes at once, and nothing ever waits for a group to fill.
 */
export interface GroupCommit {
  /**
   * Adds a kind of call. Kinds are served in the order in which they were added, one group of each in turn, so that
   * renewals and releases (added first) go before acquires and no kind starves another.
   *
   * @param run carries one group in one transaction and returns the outcomes in the order of the calls. It throws
   *   {@link StoreBusy} when nothing was written and trying again may help, {@link RolledBack} when nothing was written
   *   and one bad rider may be why, and anything else when what was written is not known.
   */
  addLane<Call extends Rider, Outcome>(
    run: (calls: readonly Call[]) => Promise<readonly Outcome[]>,
  ): (call: Call) => Promise<Outcome>;
  /** Runs one piece of work between attempts, with the same patience when the store is busy. */
  runWithPatience<Outcome>(run: () => Promise<Outcome>): Promise<Outcome>;
  /** Refuses new calls; resolves when those under way have been answered. */
  close(): Promise<void>;
}

/** One resource rides at most once in a group: the second call waits for the next one. */
export interface Rider {
  readonly resource: string;
}

/** Nothing was written because somebody else holds the store's writer; trying again may help. */
export class StoreBusy extends Error {
  override readonly name = 'StoreBusy';
}

/** Nothing was written, because a statement failed before the commit. */
export class RolledBack extends Error {
  override readonly name = 'RolledBack';
}

export interface GroupCommitOptions {
  /** The most calls in one group. */
  readonly groupMax: number;
  /** The most groups under way at once: more than one keeps a store busy while the answers of the last are written. */
  readonly groupsInFlightMax: number;
  /** The most calls waiting; one more is refused at once. */
  readonly queueMax: number;
  /** How long a call waits for a busy store, in milliseconds, before it is told that the store is unavailable. */
  readonly patienceMs: number;
  /**
   * How long any call waits, in milliseconds: a disk or a thread that hangs is never busy. A call that was under way by
   * then may still take effect.
   */
  readonly answerMsMax: number;
  readonly waiting: WaitingClock;
}

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

/** One call on its way: answered once, by its outcome, an error, or the end of the longest wait. */
interface Seat<Call, Outcome> {
  readonly call: Call;
  /** Until when a busy store is tried again. */
  readonly patientUntilMs: number;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (reason: unknown) => void;
  isAnswered: boolean;
}

interface Lane {
  /** Carries one group, and resolves when each of its riders has been answered. */
  runGroup(): Promise<void>;
  isEmpty(): boolean;
}

const backOffMsMax = 50;

export function createGroupCommit(options: GroupCommitOptions): GroupCommit {
  const lanes: Lane[] = [];
  const work = createWorkUnderWay(options);
  const inFlight = new Set<Promise<void>>();
  let serving: Promise<void> | null = null;

  async function serve(): Promise<void> {
    while (lanes.some((lane) => !lane.isEmpty())) {
      // An embedded store runs a transaction without once returning to the event loop, so that the calls which arrived
      // meanwhile are still in their sockets. Let them board before the next group leaves.
      await options.waiting.turn();
      for (const lane of lanes) {
        if (lane.isEmpty()) continue;
        if (inFlight.size >= options.groupsInFlightMax) await Promise.race(inFlight);
        const group = lane.runGroup().finally(() => inFlight.delete(group));
        inFlight.add(group);
      }
    }
  }

  function wake(): void {
    serving ??= serve().finally(() => {
      serving = null;
    });
  }

  return {
    addLane(run) {
      const queue = createLane(run, options);
      lanes.push(queue.lane);
      return (call) =>
        work.answer((resolve, reject) => {
          const drop = queue.push(call, resolve, reject);
          wake();
          return drop;
        });
    },
    runWithPatience: (run) =>
      work.answer((resolve, reject) => {
        persist(run, options).then(resolve, reject);
        return () => undefined;
      }),
    close: () => work.close(),
  };
}

/** Counts the calls under way, bounds how long each waits, and tells when the last is answered. */
function createWorkUnderWay(options: GroupCommitOptions) {
  const underWay = new Set<Promise<void>>();
  let isClosed = false;

  function refusal(): StoreUnavailable | null {
    if (isClosed) return new StoreUnavailable('The store is closing');
    if (underWay.size >= options.queueMax) {
      return new StoreUnavailable('Too many calls are waiting');
    }
    return null;
  }

  return {
    /** @param begin starts the call, and returns what to do when nobody waits for it any more. */
    answer<Outcome>(
      begin: (resolve: (outcome: Outcome) => void, reject: (reason: unknown) => void) => () => void,
    ): Promise<Outcome> {
      const refused = refusal();
      if (refused !== null) return Promise.reject(refused);
      const call = new Promise<Outcome>((resolve, reject) => {
        const drop = begin(
          (outcome) => {
            cancel();
            resolve(outcome);
          },
          (reason) => {
            cancel();
            reject(unavailable(reason));
          },
        );
        const cancel = options.waiting.after(options.answerMsMax, () => {
          drop();
          reject(new StoreUnavailable('The store did not answer in time'));
        });
      });
      const settled: Promise<void> = call
        .then(
          () => undefined,
          () => undefined,
        )
        .finally(() => underWay.delete(settled));
      underWay.add(settled);
      return call;
    },
    async close(): Promise<void> {
      isClosed = true;
      await Promise.all(underWay);
    },
  };
}

function createLane<Call extends Rider, Outcome>(
  run: (calls: readonly Call[]) => Promise<readonly Outcome[]>,
  options: GroupCommitOptions,
) {
  let queue: Seat<Call, Outcome>[] = [];
  const lane: Lane = {
    isEmpty: () => queue.length === 0,
    async runGroup() {
      const { group, rest } = takeGroup(queue, options.groupMax);
      queue = rest;
      await carry(group, run, options);
    },
  };
  return {
    lane,
    push(
      call: Call,
      resolve: (outcome: Outcome) => void,
      reject: (reason: unknown) => void,
    ): () => void {
      const patientUntilMs = options.waiting.now() + options.patienceMs;
      const seat = { call, patientUntilMs, resolve, reject, isAnswered: false };
      queue.push(seat);
      return () => {
        seat.isAnswered = true;
      };
    },
  };
}

/** The longest prefix of the queue that fits, leaving for the next group whoever names a resource a second time. */
function takeGroup<Call extends Rider, Outcome>(
  queue: readonly Seat<Call, Outcome>[],
  groupMax: number,
): { group: Seat<Call, Outcome>[]; rest: Seat<Call, Outcome>[] } {
  const group: Seat<Call, Outcome>[] = [];
  const rest: Seat<Call, Outcome>[] = [];
  const resources = new Set<string>();
  for (const seat of queue) {
    // Whoever was told that the store did not answer must not be served behind its back.
    if (seat.isAnswered) continue;
    if (group.length < groupMax && !resources.has(seat.call.resource)) {
      resources.add(seat.call.resource);
      group.push(seat);
    } else {
      rest.push(seat);
    }
  }
  return { group, rest };
}

/** Answers every seat of a group. A busy store is tried again until each rider's deadline; one bad rider fails alone. */
async function carry<Call extends Rider, Outcome>(
  group: readonly Seat<Call, Outcome>[],
  run: (calls: readonly Call[]) => Promise<readonly Outcome[]>,
  options: GroupCommitOptions,
): Promise<void> {
  let seats = group;
  for (let attempt = 0; seats.length > 0; attempt += 1) {
    try {
      answer(seats, await run(seats.map((seat) => seat.call)));
      return;
    } catch (error) {
      if (error instanceof RolledBack && seats.length > 1) {
        for (const seat of seats) await carry([seat], run, options);
        return;
      }
      // Unless nothing was written, trying again could act twice: a release would answer that there was no lock.
      if (!(error instanceof StoreBusy)) {
        for (const seat of seats) seat.reject(unavailable(error));
        return;
      }
      seats = dismissLate(seats, options.waiting.now(), error);
      if (seats.length > 0) await options.waiting.sleep(backOffMs(attempt, options.waiting));
    }
  }
}

function answer<Call, Outcome>(
  seats: readonly Seat<Call, Outcome>[],
  outcomes: readonly Outcome[],
): void {
  seats.forEach((seat, index) => {
    const outcome = outcomes[index];
    if (outcome === undefined) seat.reject(new StoreUnavailable('The store gave no outcome'));
    else seat.resolve(outcome);
  });
}

/** Tells those whose patience is over, and returns the rest. */
function dismissLate<Call, Outcome>(
  seats: readonly Seat<Call, Outcome>[],
  nowMs: number,
  cause: unknown,
): readonly Seat<Call, Outcome>[] {
  const late = seats.filter((seat) => seat.patientUntilMs <= nowMs);
  if (late.length === 0) return seats;
  const error = unavailable(cause);
  for (const seat of late) seat.reject(error);
  return seats.filter((seat) => seat.patientUntilMs > nowMs);
}

/** Runs one piece of work until a busy store lets it, or patience is over. */
async function persist<Outcome>(
  run: () => Promise<Outcome>,
  { waiting, patienceMs }: GroupCommitOptions,
): Promise<Outcome> {
  const patientUntilMs = waiting.now() + patienceMs;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof StoreBusy) || waiting.now() >= patientUntilMs) throw error;
      await waiting.sleep(backOffMs(attempt, waiting));
    }
  }
}

/** Exponential from 1 ms, with full jitter, so that two processes on one file do not keep step. */
function backOffMs(attempt: number, waiting: WaitingClock): number {
  return Math.min(backOffMsMax, 2 ** Math.min(attempt, 10)) * (0.5 + waiting.random() / 2);
}

function unavailable(cause: unknown): StoreUnavailable {
  if (cause instanceof StoreUnavailable) return cause;
  return new StoreUnavailable('The store does not answer', { cause });
}
