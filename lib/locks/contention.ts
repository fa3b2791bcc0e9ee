import type { Dated } from './lock-store';

/** Who asks for a lock that somebody else holds. There are no queues: it is told from the acquires that were denied. */

/** Who was denied in the last minute still asks. Times are milliseconds by the store's clock. */
export interface Asker {
  readonly owner: string;
  readonly client: string | null;
  /** How often it was denied since `firstAtMs`. */
  readonly attempts: number;
  /** When it began to ask: from then on it never paused for a minute. */
  readonly firstAtMs: number;
  readonly lastAtMs: number;
}

/** All who ask for one lock, in short. Whoever holds it by now is not among them. */
export interface Contention {
  readonly attempts: number;
  /** Exact up to `contentionLimits.askersMax`. */
  readonly owners: number;
  readonly lastOwner: string;
  readonly lastAtMs: number;
}

/** Acquires of one owner that were denied, counted together, and whose lease it was that denied the last of them. */
export interface Denials extends Asker {
  readonly resource: string;
  readonly holder: {
    readonly owner: string;
    readonly client: string | null;
    readonly fencingToken: number;
  };
}

export const contentionLimits = {
  /** Whoever was not denied for this long asks no more. */
  askingMs: 60_000,
  /** One `contended` event for a resource in this time, over all instances. */
  toldEveryMs: 10_000,
  /** The askers that are known of one resource: those who asked last. */
  askersMax: 100,
  /** The askers that are shown of one resource: those who have asked longest. */
  askersShownMax: 20,
} as const;

/** `now` when there was more than one time takes. */
export const tidyAgain = ['never', 'later', 'now'] as const;
export type TidyAgain = (typeof tidyAgain)[number];

/** The part of a store that remembers denied acquires. The acquires themselves write nothing. */
export interface ContentionStore {
  /** Adds to what is known, and writes the `contended` events that are due, all in one transaction. */
  noteDenials(denials: readonly Denials[]): Promise<void>;
  /**
   * Writes `contended` events that have become due since, and forgets askers of long ago, some at a time.
   *
   * @returns when there will be more to tidy up.
   */
  tidyDenials(): Promise<TidyAgain>;
  /** Who asks for a resource, the longest first; also when nobody holds it. */
  askers(resource: string): Promise<Dated<readonly Asker[]>>;
}
