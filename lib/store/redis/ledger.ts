import { z } from 'zod';

import type { EventsPosition } from '../../locks/trail';
import type { GroupCommit } from '../group-commit';
import type { LockReads } from '../lock-reads';

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
  /** The history, as it is on the database alone. */
  readonly history: Pick<LockReads, 'events' | 'feed' | 'tally' | 'lockUsage' | 'usage'>;
  /** Events from before a moment in their order by time, those after a place. */
  oldEvents(query: OldEventsQuery): Promise<readonly OldEvent[]>;
  /** @returns how many of these events there were. */
  forgetEvents(ids: readonly string[]): Promise<number>;
  close(): Promise<void>;
}

/** Each reading with the patience of its database. */
export function patientHistory(reads: Ledger['history'], commits: GroupCommit): Ledger['history'] {
  return {
    events: (query) => commits.runWithPatience(() => reads.events(query)),
    feed: (query) => commits.runWithPatience(() => reads.feed(query)),
    tally: (query) => commits.runWithPatience(() => reads.tally(query)),
    lockUsage: (query) => commits.runWithPatience(() => reads.lockUsage(query)),
    usage: (query) => commits.runWithPatience(() => reads.usage(query)),
  };
}

export interface OldEventsQuery {
  readonly beforeMs: number;
  readonly after: EventsPosition | null;
  readonly limit: number;
}

export interface OldEvent extends EventsPosition {
  readonly resource: string | null;
  readonly fencingToken: number | null;
}

/** `[id, time, resource, token]` of each, as both databases tell it. */
export function parseOldEvents(raw: unknown): readonly OldEvent[] {
  return z.array(oldEvent).parse(raw);
}

const oldEvent = z
  .tuple([z.int(), z.int(), z.string().nullable(), z.int().nullable()])
  .transform(([id, atMs, resource, fencingToken]): OldEvent => ({
    id: String(id),
    atMs,
    resource,
    fencingToken,
  }));
