import { randomUUID } from 'node:crypto';

import type { Logger } from 'pino';

import type { AccessStore } from '@/lib/access/access-store';
import { startRetention } from '@/lib/events/retention';
import { startSweeper } from '@/lib/events/sweeper';
import type { LockStore } from '@/lib/locks/lock-store';
import { systemWaiting } from '@/lib/store/system-waiting';

interface UpkeepOptions {
  readonly store: LockStore;
  readonly access: AccessStore;
  readonly retentionMs: number;
  readonly log: Logger;
}

/** The work beside the calls, once in each process. @returns what ends it, after the piece under way. */
export function startUpkeep({
  store,
  access,
  retentionMs,
  log,
}: UpkeepOptions): () => Promise<void> {
  const shared = { store, holder: randomUUID(), waiting: systemWaiting };
  const trouble = (message: string) => (error: unknown) => log.warn({ err: error }, message);
  const sweeper = startSweeper({
    ...shared,
    onTrouble: trouble('ends of leases could not be noted; they will be'),
  });
  const retention = startRetention({
    ...shared,
    retentionMs,
    forgetMore: () => access.forgetEnded(),
    onTrouble: trouble('old events could not be removed; it is tried again'),
  });
  return async () => {
    await Promise.all([sweeper.stop(), retention.stop()]);
  };
}
