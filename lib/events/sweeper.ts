import type { Upkeep } from '../locks/upkeep';
import { startRounds, type Rounds, type Waiting } from './waiting';

export interface SweeperOptions {
  readonly store: Pick<Upkeep, 'endedLeases' | 'noteEnds'>;
  /** This process, among all that share the store. */
  readonly holder: string;
  readonly waiting: Waiting;
  readonly onTrouble: (error: unknown) => void;
}

const lookEveryMs = 1_000;
const batchMax = 100;
/** Between two batches, so that lock calls go in between. */
const betweenBatchesMs = 20;
/** Should the process that has the turn die, another goes on after this. */
const turnMs = 5_000;
/** How far back each look goes beyond the one before: a grant may have become visible late, and clocks are set. */
const overlapMs = 60_000;
/** Whatever that misses is found by a look at every row. */
const lookAtAllEveryMs = 300_000;

/**
 * Puts the ends of leases on record, within about a second. Each process looks, which only reads; what is found is noted
 * by the one that has the turn, in small batches.
 */
export function startSweeper(options: SweeperOptions): Rounds {
  const { store, holder, waiting, onTrouble } = options;
  /** Every end up to here, by the store's clock, is on record; null: look at every row. */
  let notedUntilMs: number | null = null;
  let lookedAtAllMs = waiting.now();

  async function round(): Promise<number> {
    try {
      return await sweep();
    } catch (error) {
      onTrouble(error);
      return lookEveryMs;
    }
  }

  async function sweep(): Promise<number> {
    if (waiting.now() - lookedAtAllMs >= lookAtAllEveryMs) {
      lookedAtAllMs = waiting.now();
      notedUntilMs = null;
    }
    const sinceMs = notedUntilMs === null ? null : notedUntilMs - overlapMs;
    const { outcome: leases, nowMs } = await store.endedLeases({ sinceMs, limit: batchMax });
    if (leases.length === 0) {
      notedUntilMs = nowMs;
      return lookEveryMs;
    }
    const { isOurTurn, noted } = await store.noteEnds({ holder, turnMs, leases });
    // What could not be noted just now, since a call had its row, is found again after the usual pause.
    return isOurTurn && noted > 0 ? betweenBatchesMs : lookEveryMs;
  }

  return startRounds(round, lookEveryMs, waiting);
}
