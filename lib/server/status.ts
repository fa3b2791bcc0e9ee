import { StoreUnavailable } from '@/lib/locks/errors';
import type { LockStore } from '@/lib/locks/lock-store';

/** What an operator should know of a store, or of the database behind one. */
export interface StoreReport {
  readonly kind: 'sqlite' | 'postgresql' | 'redis';
  /** Such as `Redis 7.0.15`. */
  readonly version: string;
  /** Sentences, each about something that weakens what the service promises. */
  readonly warnings: readonly string[];
}

export interface StoreReports {
  /** Where the locks are. */
  readonly store: () => Promise<StoreReport>;
  /** Where everything else is, and the locks as well unless they are in Redis. */
  readonly database: () => Promise<StoreReport>;
}

export interface Status {
  readonly version: string;
  /** How long the store took to read one lock; null if it does not answer. */
  readonly latencyMs: number | null;
  readonly store: StoreReport;
  readonly database: StoreReport;
}

interface StatusOptions {
  readonly version: string;
  readonly store: Pick<LockStore, 'ping'>;
  readonly reports: StoreReports;
  readonly monotonicMs: () => number;
}

export async function readStatus(options: StatusOptions): Promise<Status> {
  const { version, reports } = options;
  const latencyMs = await latencyOf(options);
  const [store, database] = await Promise.all([reports.store(), reports.database()]);
  return { version, latencyMs, store, database };
}

async function latencyOf({ store, monotonicMs }: StatusOptions): Promise<number | null> {
  const sentMs = monotonicMs();
  try {
    await store.ping();
    return Math.round((monotonicMs() - sentMs) * 100) / 100;
  } catch (error) {
    if (error instanceof StoreUnavailable) return null;
    throw error;
  }
}
