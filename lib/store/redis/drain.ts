import { z } from 'zod';

import { unavailable } from '../errors';
import type { WaitingClock } from '../waiting-clock';
import type { Ledger, SavedUpTo } from './ledger';
import type { RedisLink } from './link';

interface DrainOptions {
  readonly link: RedisLink;
  readonly ledger: Ledger;
  /** The stream's key. */
  readonly stream: string;
  readonly batch: number;
  /** Between two looks at a stream that was empty, in milliseconds. */
  readonly everyMs: number;
  readonly waiting: WaitingClock;
  /** What went wrong, the first time in a row; null when it goes on. */
  readonly onTrouble: (error: Error | null) => void;
}

/** Carries the events of the stream into the database's history, in their order. */
export interface Drain {
  /** Resolves when all that was in the stream when this was called is in the database. */
  upToNow(): Promise<void>;
  close(): Promise<void>;
}

/** More rounds than this without an end mean that events come faster than they can be saved. */
const roundsMax = 2_000;

export function createDrain(options: DrainOptions): Drain {
  let tail: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;
  let isClosed = false;

  /** One drain at a time. Whoever comes while one runs shares the next, which begins after they came. */
  function upToNow(): Promise<void> {
    if (next !== null) return next;
    const begun = tail.then(() => {
      next = null;
      return drainAll(options);
    });
    next = begun;
    tail = begun.catch(() => undefined);
    return begun;
  }

  async function keepDraining(): Promise<void> {
    let isTroubled = false;
    while (!isClosed) {
      try {
        await upToNow();
        if (isTroubled) options.onTrouble(null);
        isTroubled = false;
      } catch (error) {
        if (!isTroubled) options.onTrouble(unavailable(error));
        isTroubled = true;
      }
      await options.waiting.sleep(options.everyMs);
    }
  }

  const ended = keepDraining();
  return {
    upToNow,
    async close() {
      isClosed = true;
      await ended;
      // What is left is saved by another instance, or after the next start.
      await upToNow().catch(() => undefined);
    },
  };
}

async function drainAll(options: DrainOptions): Promise<void> {
  // Only what was saved is ever removed to the last: an empty stream is all saved.
  if ((await waitingEvents(options)) === 0) return;
  for (let round = 0; round < roundsMax; round += 1) {
    const isEmpty = await drainBatch(options);
    if (isEmpty) return;
  }
}

async function waitingEvents({ link, stream }: DrainOptions): Promise<number> {
  return Number(await link.command('XLEN', stream));
}

/**
 * Saves one batch, then forgets it in Redis: a process that is killed in between leaves entries behind which the database
 * knows to be saved. Two instances that read the same entries save them once.
 */
async function drainBatch({ link, ledger, stream, batch }: DrainOptions): Promise<boolean> {
  const from = await ledger.savedUpTo();
  const reply = await link.command(
    'XRANGE',
    stream,
    `(${String(from.ms)}-${String(from.seq)}`,
    '+',
    'COUNT',
    batch,
  );
  const entries = z.array(entry).parse(reply);
  const last = entries.at(-1);
  if (last === undefined) return true;
  const to = positionOf(last.id);
  const lines = entries.flatMap(({ line }) => (line === '' ? [] : [line]));
  if (!(await ledger.saveEvents(lines, from, to))) return false;
  await link.command('XTRIM', stream, 'MINID', `${String(to.ms)}-${String(to.seq + 1)}`);
  return entries.length < batch;
}

const entry = z
  .tuple([z.string(), z.tuple([z.literal('e'), z.string()])])
  .transform(([id, [, line]]) => ({ id, line }));

function positionOf(id: string): Pick<SavedUpTo, 'ms' | 'seq'> {
  const [ms = 0, seq = 0] = id.split('-').map(Number);
  return { ms, seq };
}
