import type { EventKind, LockEvent } from './events';
import type { Lease } from './lease';

/** The history as it is followed: in one order that a reader can leave and come back to, with nothing lost or doubled. */

/**
 * A place in the feed: right after this event. The transaction comes first, since ids are drawn before the commit; a store
 * with one writer, whose ids are in the order of the commits, counts all events as of transaction 0.
 */
export interface FeedPosition {
  readonly transaction: number;
  readonly id: number;
}

/** Before the first event. */
export const feedOrigin: FeedPosition = { transaction: 0, id: 0 };

export interface FeedEvent {
  readonly position: FeedPosition;
  readonly event: LockEvent;
}

export interface FeedQuery {
  /** Null for the newest events. */
  readonly after: FeedPosition | null;
  readonly limit: number;
}

export interface FeedPage {
  /** In the order of the feed. */
  readonly events: readonly FeedEvent[];
  /** Whether the event at `after` is still there. If not, events after it may be gone as well. */
  readonly isKnown: boolean;
  /** For how long the oldest event that is written, but has no certain place yet, has been waiting, in milliseconds. */
  readonly lagMs: number;
}

export interface TallyQuery {
  readonly after: FeedPosition;
  /** The most events that are counted. */
  readonly limit: number;
}

export interface FeedTally {
  /** Of the last event that was counted. */
  readonly end: FeedPosition;
  readonly counts: Readonly<Partial<Record<EventKind, number>>>;
  readonly lagMs: number;
}

/** One transaction of a store: a group of lease calls, or an operator's act. */
export interface GroupCarried {
  readonly verb: StoreVerb;
  readonly calls: number;
  /** The calls themselves, as the store was given them. */
  readonly riders: readonly object[];
  readonly tookMs: number;
  /** What it failed with; null if it was carried out. */
  readonly failure: 'busy' | 'rolled-back' | 'unknown' | null;
}

export type StoreVerb = 'acquire' | 'renew' | 'release' | 'force_release' | 'hold' | 'ask_release';

/** What is told of a store. Nothing here is a promise: events are to be read from the feed. */
export interface StoreWatcher {
  /** Events may have been written, here or elsewhere: the feed is worth a look. */
  readonly onEvents?: () => void;
  /** This process has renewed a lease, which is in no history. */
  readonly onRenewed?: (lease: Lease) => void;
  readonly onGroup?: (group: GroupCarried) => void;
}

export function comparePositions(one: FeedPosition, other: FeedPosition): number {
  return one.transaction - other.transaction || one.id - other.id;
}

const positionText = /^(0|[1-9]\d{0,15})-(0|[1-9]\d{0,15})$/;

/** As messages of the stream carry it. */
export function formatPosition({ transaction, id }: FeedPosition): string {
  return `${transaction}-${id}`;
}

/** @returns null for what is no position. */
export function parsePosition(text: string): FeedPosition | null {
  const [, transaction, id] = positionText.exec(text) ?? [];
  if (transaction === undefined || id === undefined) return null;
  const position = { transaction: Number(transaction), id: Number(id) };
  return Number.isSafeInteger(position.transaction) && Number.isSafeInteger(position.id)
    ? position
    : null;
}
