import { createDenialCounter } from '../locks/denial-counter';
import type { LockStore } from '../locks/lock-store';
import type { RenewalNote } from '../locks/renewals';
import { repeat } from './repeat';
import type { WaitingClock } from './waiting-clock';

export interface NotesOptions {
  readonly waiting: Pick<WaitingClock, 'after'>;
  /** Told what could not be written down. Lock calls never are. */
  readonly onLost: (error: unknown) => void;
}

/** How long what was counted waits for more, in milliseconds. */
const gatherMs = 1_000;
/** The most renewals that wait to be told of: of more, some are not. */
const renewalsMax = 5_000;
/** How often what was written is looked after. */
const tidyEveryMs = 10_000;
/** The most that one transaction writes, so that no lock call waits for long behind it. */
const notedMax = 250;
/** Rounds of tidying in a row: after them, the rest waits for the next time. */
const tidyRoundsMax = 20;

/**
 * Gathers what the store's calls tell of contention and renewals, and has it written down about once a second in groups: a denied
 * acquire itself writes nothing. A process that is killed loses the last second of it, and so does a store that fails.
 */
export function withNotes(store: LockStore, { waiting, onLost }: NotesOptions): LockStore {
  const denials = createDenialCounter();
  const renewals: RenewalNote[] = [];
  const flushing = repeat({
    afterMs: gatherMs,
    waiting,
    async run() {
      const counted = denials.take();
      await inGroups(counted, (some) => store.noteDenials(some).catch(onLost));
      if (counted.length > 0) tidying.wake();
      await inGroups(renewals.splice(0), (some) => store.noteRenewals(some).catch(onLost));
    },
  });
  const tidying = repeat({
    afterMs: tidyEveryMs,
    waiting,
    async run() {
      try {
        let again = await store.tidyDenials();
        for (let round = 1; again === 'now' && round < tidyRoundsMax; round += 1) {
          again = await store.tidyDenials();
        }
        if (again !== 'never') tidying.wake();
      } catch (error) {
        onLost(error);
        tidying.wake();
      }
    },
  });
  // Whoever ran before may have left something.
  tidying.wake();

  return {
    ...store,
    async acquire(call) {
      const dated = await store.acquire(call);
      if (dated.outcome.kind === 'held') {
        denials.add(call, dated.outcome.holder, dated.nowMs);
        flushing.wake();
      }
      return dated;
    },
    async renew(call) {
      const dated = await store.renew(call);
      const { outcome } = dated;
      if (
        outcome.kind === 'renewed' &&
        outcome.due !== undefined &&
        renewals.length < renewalsMax
      ) {
        renewals.push({ lease: outcome.lease, count: outcome.due });
        flushing.wake();
      }
      return dated;
    },
    async close() {
      await tidying.stop();
      await flushing.finish();
      await store.close();
    },
  };
}

async function inGroups<T>(all: readonly T[], write: (some: readonly T[]) => Promise<void>) {
  for (let from = 0; from < all.length; from += notedMax) {
    await write(all.slice(from, from + notedMax));
  }
}
