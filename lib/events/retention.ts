import type { EventsPosition } from '../locks/trail';
import type { Upkeep } from '../locks/upkeep';
import { startRounds, type Rounds, type Waiting } from './waiting';

export interface RetentionOptions {
  readonly store: Pick<Upkeep, 'forgetOld'>;
  /** This process, among all that share the store. */
  readonly holder: string;
  readonly retentionMs: number;
  /** What else is over and of no use: sessions, links. */
  readonly forgetMore: () => Promise<void>;
  readonly waiting: Waiting;
  readonly onTrouble: (error: unknown) => void;
}

const passEveryMs = 600_000;
/** Not right at the start, when everybody comes back at once. */
const firstPassMs = 60_000;
const batchMax = 200;
/** The pause after a batch, as a multiple of how long it took: the store has most of its time for lock calls. */
const restFactor = 4;
const restMsMin = 50;
/** Should the process that has the turn die, another goes on after this. */
const turnMs = 30_000;

/** Forgets what is older than the retention: every ten minutes a pass over the oldest, in small batches with long pauses. */
export function startRetention(options: RetentionOptions): Rounds {
  const { store, holder, retentionMs, forgetMore, waiting, onTrouble } = options;
  let after: EventsPosition | null = null;

  async function round(): Promise<number> {
    const beganMs = waiting.now();
    try {
      if (after === null) await forgetMore();
      const { isOurTurn, locks, next } = await store.forgetOld({
        holder,
        turnMs,
        retentionMs,
        batchMax,
        after,
      });
      const isDone = !isOurTurn || (next === null && locks < batchMax);
      // At the end of the events there may be rows left; what was kept of the events is passed again with the next pass.
      after = isDone ? null : (next ?? after);
      return isDone ? passEveryMs : Math.max(restMsMin, restFactor * (waiting.now() - beganMs));
    } catch (error) {
      onTrouble(error);
      after = null;
      return passEveryMs;
    }
  }

  return startRounds(round, firstPassMs, waiting);
}
