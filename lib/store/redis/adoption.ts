import { randomUUID } from 'node:crypto';

import { z } from 'zod';

import { StoreUnavailable } from '../../locks/errors';
import type { WaitingClock } from '../waiting-clock';
import type { Ledger } from './ledger';
import type { RedisLink } from './link';
import type { Scripts } from './scripts/all';

interface AdoptionOptions {
  readonly link: RedisLink;
  readonly scripts: Scripts;
  readonly ledger: Ledger;
  /** A key of the store, for its place in a cluster. */
  readonly key: string;
  /** How many tokens a block has; what is left of one at a restart is never given. */
  readonly blockSize: number;
  readonly waiting: WaitingClock;
}

/**
 * Makes the run of Redis that is there fit to be written to: reserves a block of tokens in the database, for this run and no
 * other, and installs it.
 *
 * @param count how many tokens must be left.
 */
export type Adopt = (count: number) => Promise<void>;

const attemptsMax = 100;
const waitMs = 20;

/** All who find that a block is wanted at the same time share one reservation. */
export function createAdoption(options: AdoptionOptions): Adopt {
  const process = randomUUID();
  let attempts = 0;
  const nextAttempt = () => [process, (attempts += 1)] as const;
  let underWay: Promise<void> | null = null;
  return (count) =>
    (underWay ??= adopt(options, nextAttempt, count).finally(() => {
      underWay = null;
    }));
}

async function adopt(
  options: AdoptionOptions,
  nextAttempt: () => readonly [process: string, attempt: number],
  count: number,
): Promise<void> {
  const { link, scripts, ledger, key, waiting } = options;
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const nonce = nextAttempt();
    const asked = askReply.parse(
      await link.runOne({ script: scripts.ask, key, args: [...nonce, count] }),
    );
    switch (asked[0]) {
      case 'ready':
        return;
      case 'wrong-type':
        throw new StoreUnavailable(
          `The key ${asked[1]} in Redis is a ${asked[2]}: somebody else uses this prefix`,
        );
      case 'wait':
        await waiting.sleep(waitMs);
        break;
      case 'asked': {
        const block = await ledger.reserveTokens(options.blockSize);
        if (block === null || block.last - block.first + 1 < count) {
          throw new StoreUnavailable('The fencing tokens are used up');
        }
        const { first, last, saved } = block;
        const args = [...nonce, asked[1], asked[2], first, last, saved.ms, saved.seq];
        // Refused, for Redis is another by now or somebody was faster: then ask again.
        await link.runOne({ script: scripts.adopt, key, args });
        break;
      }
    }
  }
  throw new StoreUnavailable('No block of fencing tokens could be installed in Redis');
}

const askReply = z.union([
  z.tuple([z.literal('ready')]),
  z.tuple([z.literal('wait')]),
  z.tuple([z.literal('asked'), z.string(), z.string()]),
  z.tuple([z.literal('wrong-type'), z.string(), z.string()]),
]);
