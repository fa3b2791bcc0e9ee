import type { Lease } from './lease';

/** The history is told of a lease's renewals at most once in this time, however many instances renew it. */
export const renewalsToldEveryMs = 60_000;

/** Renewals that the history is to be told of, as the renewal that found it due has left the lease. */
export interface RenewalNote {
  readonly lease: Lease;
  /** How many since the last note, or since the lease was acquired. */
  readonly count: number;
}

/** The part of a store that tells the history of renewals. The renewals themselves write their row alone. */
export interface RenewalStore {
  noteRenewals(notes: readonly RenewalNote[]): Promise<void>;
}
