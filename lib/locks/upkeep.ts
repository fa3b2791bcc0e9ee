import type { Dated } from './lock-store';
import type { EventsPosition } from './trail';

/** What a store does beside its callers: it notes the ends of leases, and forgets what is old. */
export interface Upkeep {
  /** Leases that have run out and whose end is not on record yet, the earliest first. Only reads. */
  endedLeases(query: EndedQuery): Promise<Dated<readonly EndedLease[]>>;
  /**
   * Puts the ends of these leases on record, each once and for ever: `expired`, or `reopened` for a hold. A lease that was
   * claimed, cleared or found alive in the meantime is left alone, and so is one that a call is just deciding about.
   */
  noteEnds(call: NoteEndsCall): Promise<NoteEndsOutcome>;
  /**
   * One batch of forgetting: rows whose lease ended before the retention, events that are older than it, and evictions
   * that nobody is told of any more. Events of a lease that still has a row stay. The token counter is left alone.
   */
  forgetOld(call: ForgetCall): Promise<ForgetOutcome>;
}

/**
 * Of several processes one does the work at a time. The turn is taken in the transaction of the work, and lapses: should
 * its holder die, another goes on.
 */
interface Turn {
  /** The process that asks. */
  readonly holder: string;
  /** How long the turn lasts unless it is taken again, in milliseconds. */
  readonly turnMs: number;
}

export interface EndedQuery {
  /** Looks only at leases that ended after this; null for all. */
  readonly sinceMs: number | null;
  readonly limit: number;
}

export interface EndedLease {
  readonly resource: string;
  readonly fencingToken: number;
}

export interface NoteEndsCall extends Turn {
  /** At least one. */
  readonly leases: readonly EndedLease[];
}

export interface NoteEndsOutcome {
  /** False if another process has the turn: nothing was done. */
  readonly isOurTurn: boolean;
  readonly noted: number;
}

export interface ForgetCall extends Turn {
  readonly retentionMs: number;
  /** How many rows, and how many events, are looked at in this batch. */
  readonly batchMax: number;
  /** Where the batch before ended; null to begin with the oldest event. */
  readonly after: EventsPosition | null;
}

export interface ForgetOutcome {
  readonly isOurTurn: boolean;
  readonly locks: number;
  readonly events: number;
  /** Where this batch ended; null when it came to what is not old. */
  readonly next: EventsPosition | null;
}
