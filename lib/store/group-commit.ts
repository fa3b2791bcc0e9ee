import { StoreUnavailable } from '../locks/errors';
import { StoreBusy, unavailable } from './errors';
import { createLane, type Lane, type OutcomeBeside, type Rider, type RunGroup } from './lane';
import { systemWaiting } from './system-waiting';
import { backOffMs, type WaitingClock } from './waiting-clock';

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
   *   `StoreBusy` when nothing was written and trying again may help, `RolledBack` when nothing was written and one bad
   *   rider may be why, and anything else when what was written is not known.
   * @param beside lets calls on one resource share a ride; without it the second waits for the next group.
   */
  addLane<Call extends Rider, Outcome>(
    run: RunGroup<Call, Outcome>,
    beside?: OutcomeBeside<Call, Outcome>,
  ): (call: Call) => Promise<Outcome>;
  /** Runs one piece of work between attempts, with the same patience when the store is busy. */
  runWithPatience<Outcome>(run: () => Promise<Outcome>): Promise<Outcome>;
  /** Refuses new calls; resolves when those under way have been answered. */
  close(): Promise<void>;
}

export interface GroupCommitOptions {
  /** The most calls in one group. */
  readonly groupMax: number;
  /** The most groups under way at once: more than one keeps a store busy while the answers of the last are written. */
  readonly groupsInFlightMax: number;
  /**
   * How long a group that is not full waits for those under way, in milliseconds: where a statement for sixty calls costs
   * little more than one for four. 0 for not at all.
   */
  readonly gatherMsMax: number;
  /** The most calls waiting; one more is refused at once. */
  readonly queueMax: number;
  /** How long a call waits in the queue or for a busy store, in milliseconds, before it is told to come again. */
  readonly patienceMs: number;
  /**
   * How long any call waits, in milliseconds: a disk or a thread that hangs is never busy. A call that was under way by
   * then may still take effect.
   */
  readonly answerMsMax: number;
  readonly waiting: WaitingClock;
}

/** What fits a database on the same machine, or near. */
export const defaultGroupCommit = {
  groupMax: 256,
  groupsInFlightMax: 2,
  gatherMsMax: 0,
  queueMax: 10_000,
  patienceMs: 2_000,
  answerMsMax: 10_000,
  waiting: systemWaiting,
} as const satisfies GroupCommitOptions;

export function createGroupCommit(options: GroupCommitOptions): GroupCommit {
  const lanes: Lane[] = [];
  const work = createWorkUnderWay(options);
  const inFlight = new Set<Promise<void>>();
  let isServing = false;
  let onBoarded = (): void => undefined;
  const waiting = () => lanes.reduce((sum, lane) => sum + lane.waiting(), 0);

  /** Resolves when the next group should leave. */
  async function gather({ gatherMsMax, groupMax }: GroupCommitOptions): Promise<void> {
    if (gatherMsMax === 0 || inFlight.size === 0 || waiting() >= groupMax) return;
    let cancel = (): void => undefined;
    const crowd = new Promise<void>((resolve) => {
      cancel = options.waiting.after(gatherMsMax, resolve);
      onBoarded = () => {
        if (waiting() >= groupMax) resolve();
      };
    });
    await Promise.race([...inFlight, crowd]);
    cancel();
  }

  async function serve(): Promise<void> {
    while (waiting() > 0) {
      // An embedded store runs a transaction without once returning to the event loop, so that the calls which arrived
      // meanwhile are still in their sockets. Let them board before the next group leaves.
      await options.waiting.turn();
      for (const lane of lanes) {
        if (lane.waiting() === 0) continue;
        await gather(options);
        if (inFlight.size >= options.groupsInFlightMax) await Promise.race(inFlight);
        const group = lane.runGroup().finally(() => {
          inFlight.delete(group);
          // It may have put calls back into its queue.
          wake();
        });
        inFlight.add(group);
      }
    }
    isServing = false;
  }

  function wake(): void {
    if (isServing) return;
    isServing = true;
    void serve();
  }

  return {
    addLane(run, beside) {
      const queue = createLane(run, beside ?? null, options);
      lanes.push(queue.lane);
      return (call) =>
        work.answer((resolve, reject) => {
          const drop = queue.push(call, resolve, reject);
          onBoarded();
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
