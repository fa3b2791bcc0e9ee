import { StoreUnavailable } from '../locks/errors';
import { RolledBack, StoreBusy, unavailable } from './errors';
import { backOffMs, type WaitingClock } from './waiting-clock';

/** One kind of call in its queue, and how one group of them is carried. */

/** One resource rides at most once in a group. */
export interface Rider {
  readonly resource: string;
}

/**
 * Carries one group in one transaction; see `GroupCommit.addLane`. Where each call is a step of its own, one may be
 * unavailable in place of its outcome while the others are decided.
 */
export type RunGroup<Call, Outcome> = (
  calls: readonly Call[],
) => Promise<readonly (Outcome | StoreUnavailable)[]>;

/** What a call's outcome is, given that of another on the same resource at the same instant; null if that doesn't say. */
export type OutcomeBeside<Call, Outcome> = (call: Call, beside: Outcome) => Outcome | null;

export interface LaneOptions {
  readonly groupMax: number;
  readonly patienceMs: number;
  readonly waiting: WaitingClock;
}

export interface Lane {
  /** Carries one group, and resolves when each of its riders has been answered. */
  runGroup(): Promise<void>;
  /** How many calls wait in it. */
  waiting(): number;
}

/** One call on its way: answered once, by its outcome, an error, or the end of the longest wait. */
interface Seat<Call, Outcome> {
  readonly call: Call;
  /** Until when it waits, in the queue or for a busy store. */
  readonly patientUntilMs: number;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (reason: unknown) => void;
  isAnswered: boolean;
}

interface Group<Call, Outcome> {
  readonly riders: Seat<Call, Outcome>[];
  /** Those on a resource that a rider names: answered beside it if its outcome says enough. */
  readonly companions: Seat<Call, Outcome>[];
  readonly rest: Seat<Call, Outcome>[];
}

/** @param beside null where each call must ride itself. */
export function createLane<Call extends Rider, Outcome>(
  run: RunGroup<Call, Outcome>,
  beside: OutcomeBeside<Call, Outcome> | null,
  options: LaneOptions,
) {
  let queue: Seat<Call, Outcome>[] = [];

  async function runGroup(): Promise<void> {
    const patient = dismissLate(queue, options.waiting.now(), 'Too many calls are waiting');
    const { riders, companions, rest } = takeGroup(patient, options.groupMax, beside !== null);
    queue = rest;
    const outcomes = await carry(riders, run, options);
    const unanswered = companions.filter((seat) => {
      const other = outcomes.get(seat.call.resource);
      const outcome = other === undefined ? null : (beside?.(seat.call, other) ?? null);
      if (outcome !== null) seat.resolve(outcome);
      return outcome === null;
    });
    // They came before all who are in the queue by now.
    queue = unanswered.concat(queue);
  }

  const lane: Lane = { runGroup, waiting: () => queue.length };
  return {
    lane,
    /** @returns what to call when nobody waits for the answer any more. */
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

/** The next group from the front of the queue. Whoever names a resource a second time does not ride in it. */
function takeGroup<Call extends Rider, Outcome>(
  queue: readonly Seat<Call, Outcome>[],
  groupMax: number,
  hasCompanions: boolean,
): Group<Call, Outcome> {
  const group: Group<Call, Outcome> = { riders: [], companions: [], rest: [] };
  const resources = new Set<string>();
  for (const seat of queue) {
    // Whoever was told that the store did not answer must not be served behind its back.
    if (seat.isAnswered) continue;
    if (resources.has(seat.call.resource)) {
      (hasCompanions ? group.companions : group.rest).push(seat);
    } else if (group.riders.length < groupMax) {
      resources.add(seat.call.resource);
      group.riders.push(seat);
    } else {
      group.rest.push(seat);
    }
  }
  return group;
}

/**
 * Answers every seat of a group, and returns the outcomes by resource. A busy store is tried again until each rider's
 * deadline; one bad rider fails alone.
 */
async function carry<Call extends Rider, Outcome>(
  group: readonly Seat<Call, Outcome>[],
  run: RunGroup<Call, Outcome>,
  options: LaneOptions,
): Promise<ReadonlyMap<string, Outcome>> {
  let seats = group;
  for (let attempt = 0; seats.length > 0; attempt += 1) {
    try {
      return answer(seats, await run(seats.map((seat) => seat.call)));
    } catch (error) {
      if (error instanceof RolledBack && seats.length > 1) {
        return await carryEachAlone(seats, run, options);
      }
      // Unless nothing was written, trying again could act twice: a release would answer that there was no lock.
      if (!(error instanceof StoreBusy)) {
        for (const seat of seats) seat.reject(unavailable(error));
        break;
      }
      seats = dismissLate(seats, options.waiting.now(), error);
      if (seats.length > 0) await options.waiting.sleep(backOffMs(attempt, options.waiting));
    }
  }
  return new Map();
}

async function carryEachAlone<Call extends Rider, Outcome>(
  seats: readonly Seat<Call, Outcome>[],
  run: RunGroup<Call, Outcome>,
  options: LaneOptions,
): Promise<ReadonlyMap<string, Outcome>> {
  const outcomes = new Map<string, Outcome>();
  for (const seat of seats) {
    for (const [resource, outcome] of await carry([seat], run, options)) {
      outcomes.set(resource, outcome);
    }
  }
  return outcomes;
}

function answer<Call extends Rider, Outcome>(
  seats: readonly Seat<Call, Outcome>[],
  outcomes: readonly (Outcome | StoreUnavailable)[],
): ReadonlyMap<string, Outcome> {
  const byResource = new Map<string, Outcome>();
  seats.forEach((seat, index) => {
    const outcome = outcomes[index];
    if (outcome === undefined || outcome instanceof StoreUnavailable) {
      seat.reject(outcome ?? new StoreUnavailable('The store gave no outcome'));
      return;
    }
    byResource.set(seat.call.resource, outcome);
    seat.resolve(outcome);
  });
  return byResource;
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
