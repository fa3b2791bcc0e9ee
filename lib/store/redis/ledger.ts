import type { EventsPage, EventsQuery } from '../../locks/lock-store';

/** How far the stream of events in Redis has been saved: the id of its last entry, and when that was said. */
export interface SavedUpTo {
  readonly ms: number;
  readonly seq: number;
  /** Grows with each reservation of tokens. */
  readonly generation: number;
}

/** A block of fencing tokens that nobody else is ever given. */
export interface TokenBlock {
  readonly first: number;
  readonly last: number;
  readonly saved: SavedUpTo;
}

/** What the database keeps for a store whose locks are in Redis: the tokens and the history. */
export interface Ledger {
  /**
   * Takes so many tokens, or what is left, in one durable transaction, and begins another generation.
   *
   * @returns null when the tokens are used up.
   */
  reserveTokens(count: number): Promise<TokenBlock | null>;
  savedUpTo(): Promise<SavedUpTo>;
  /**
   * Saves events and how far they reach in one transaction, so that none is saved twice.
   *
   * @param lines each a JSON array of the columns of `lock_events` without its id, all as text.
   * @returns false, with nothing written, if it is not as given how far the stream has been saved.
   */
  saveEvents(
    lines: readonly string[],
    from: SavedUpTo,
    to: Pick<SavedUpTo, 'ms' | 'seq'>,
  ): Promise<boolean>;
  events(query: EventsQuery): Promise<EventsPage>;
  close(): Promise<void>;
}
