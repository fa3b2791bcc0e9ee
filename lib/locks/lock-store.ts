import type { Contention, ContentionStore } from './contention';
import type { FeedPage, FeedQuery, FeedTally, StoreWatcher, TallyQuery } from './event-feed';
import type { Forced, Lease, LeaseCondition, LeaseState, Metadata } from './lease';
import type { ResourcePattern } from './patterns';
import type { RenewalStore } from './renewals';
import type { EventsPage, EventsQuery } from './trail';
import type { Upkeep } from './upkeep';
import type { UsageStore } from './usage';

/**
 * The seam between the rules and a database. Whatever implements it promises, and `tests/stores/conformance.ts` checks:
 *
 * - each call is decided in one transaction, by statements that carry their condition and the store's own clock;
 *   contention is a value, and a store that fails throws `StoreUnavailable`;
 * - a change and its event are one transaction, and an answer is given after that transaction is durable;
 * - the fencing token of a later grant is larger than that of any earlier one, for ever;
 * - names are compared bytewise.
 *
 * Names, TTLs and reasons arrive checked and normalised.
 */
export interface LockStore extends Upkeep, ContentionStore, RenewalStore, UsageStore {
  acquire(call: AcquireCall): Promise<Dated<AcquireOutcome>>;
  renew(call: RenewCall): Promise<Dated<RenewOutcome>>;
  release(call: ReleaseCall): Promise<Dated<ReleaseOutcome>>;
  /** The row of a resource, expired or not; null if there is none. */
  inspect(resource: string): Promise<Dated<SeenLease | null>>;
  list(query: ListQuery): Promise<Dated<ListPage>>;
  /** Each release is judged alone, all in one transaction; outcomes are in the order of the calls. */
  forceRelease(calls: readonly ForceReleaseCall[]): Promise<Dated<readonly ForceReleaseOutcome[]>>;
  hold(call: HoldCall): Promise<Dated<HoldOutcome>>;
  askRelease(call: AskReleaseCall): Promise<Dated<AskReleaseOutcome>>;
  /** One page of the history, newest first; that of a resource also after its row is gone. */
  events(query: EventsQuery): Promise<EventsPage>;
  /** All events in the order in which they can be followed: none ever appears before a place that was read. */
  feed(query: FeedQuery): Promise<FeedPage>;
  /** How many events of each kind there are after a place in that order. */
  tally(query: TallyQuery): Promise<FeedTally>;
  /** Tells what this process does, as it happens. @returns what ends the telling. */
  watch(watcher: StoreWatcher): () => void;
  /** Resolves if the store can be read, and throws `StoreUnavailable` otherwise. */
  ping(): Promise<void>;
  /** Lets calls under way finish, refuses new ones, and gives the connection back. */
  close(): Promise<void>;
}

/**
 * An outcome and when it was true.
 *
 * `nowMs` is the store's clock in the deciding statement. `readAtMs` is this process's monotonic clock
 * (`performance.now()`) from before that statement was sent, so that "what is left now" is never overstated.
 */
export interface Dated<T> {
  readonly outcome: T;
  readonly nowMs: number;
  readonly readAtMs: number;
}

/** A lease as it is read, with who asks for it; left out when nobody does. */
export interface SeenLease extends Lease {
  readonly contention?: Contention;
}

/** Who calls, and the request that the call came by. Written into the history. */
export interface CallContext {
  readonly requestId: string | null;
}

export interface AcquireCall extends CallContext {
  readonly resource: string;
  readonly owner: string;
  readonly client: string | null;
  readonly ttlMs: number;
  readonly metadata: Metadata | null;
}

export type AcquireOutcome =
  | { readonly kind: 'granted'; readonly lease: Lease }
  | { readonly kind: 'held'; readonly holder: Lease };

export interface RenewCall extends CallContext {
  readonly resource: string;
  readonly owner: string;
  readonly client: string | null;
  readonly ttlMs: number;
  /** When given, only the lease with this token is renewed. */
  readonly fencingToken: number | null;
}

export type RenewOutcome =
  /** `due` is there when the history is to be told of so many renewals. */
  | { readonly kind: 'renewed'; readonly lease: Lease; readonly due?: number }
  | { readonly kind: 'not-found' }
  /** The caller's own lease, over and not claimed since. */
  | { readonly kind: 'expired' }
  /** Another owner, client or token holds it by now, or a person ended it (`forced`). */
  | { readonly kind: 'lost'; readonly forced: Forced | null };

export interface ReleaseCall extends CallContext {
  readonly resource: string;
  readonly owner: string;
  readonly client: string | null;
  readonly fencingToken: number | null;
}

export type ReleaseOutcome =
  | { readonly kind: 'released' }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'expired' }
  | { readonly kind: 'not-owner' };

export interface OperatorContext extends CallContext {
  /** The person (or key) who acts: the `actor` of the event. */
  readonly actor: string;
}

export interface ForceReleaseCall extends OperatorContext {
  readonly resource: string;
  /** The lease that was seen; no other is ended. */
  readonly fencingToken: number;
  /** Required to end a live lease. */
  readonly reason: string | null;
  /** Keep the resource closed this long in the same step; 0 for not at all. Wants a reason. */
  readonly holdMs: number;
  readonly onlyExpired: boolean;
}

export type ForceReleaseOutcome =
  | { readonly kind: 'released'; readonly released: Lease; readonly hold: Lease | null }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'lock-changed'; readonly lease: Lease }
  /** It is the lease that was seen, but live, and only an expired one was to be cleared. */
  | { readonly kind: 'still-active'; readonly lease: Lease }
  | { readonly kind: 'reason-required'; readonly lease: Lease };

export interface HoldCall extends OperatorContext {
  readonly resource: string;
  readonly reason: string;
  readonly ttlMs: number;
  /** The live lease to evict, or one's own hold to prolong; null to hold a free resource only. */
  readonly fencingToken: number | null;
}

export type HoldOutcome =
  | { readonly kind: 'held'; readonly lease: Lease }
  | { readonly kind: 'lock-changed'; readonly lease: Lease };

export interface AskReleaseCall extends OperatorContext {
  readonly resource: string;
  readonly reason: string;
  readonly fencingToken: number;
}

export type AskReleaseOutcome =
  | { readonly kind: 'asked'; readonly lease: Lease }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'lock-changed'; readonly lease: Lease };

export const listSortFields = [
  'resource',
  'owner',
  'acquired_at',
  'expires_at',
  'fencing_token',
] as const;
export type ListSortField = (typeof listSortFields)[number];

/** What the list and its counts are narrowed by. All comparisons are bytewise and case-sensitive. */
export interface ListFilter {
  /** A substring of resource, owner or client. */
  readonly text: string | null;
  readonly resourcePrefix: string | null;
  readonly owner: string | null;
  readonly ownerPrefix: string | null;
  readonly client: string | null;
  readonly fencingToken: number | null;
  /** What the caller may see: only resources that one of these covers; null for all. */
  readonly visible: readonly ResourcePattern[] | null;
  /** At least this many owners ask for it. */
  readonly askedMin: number | null;
}

/** Where a page ended: the next one begins right after it. */
export interface ListPosition {
  readonly value: string | number;
  readonly id: string;
}

export interface ListQuery {
  readonly state: LeaseState | 'all';
  readonly condition: LeaseCondition | null;
  readonly filter: ListFilter;
  readonly sortField: ListSortField;
  readonly isDescending: boolean;
  readonly limit: number;
  readonly after: ListPosition | null;
  /** True where nobody looks at the counts: they are then zeros, and cost nothing. */
  readonly isUncounted?: boolean;
}

/** Under every filter but state and condition. Exact up to `limits.countMax`, capped beyond. */
export interface ListCounts {
  readonly active: number;
  readonly expired: number;
  readonly expiring: number;
  readonly silent: number;
  readonly closed: number;
  readonly asked: number;
}

export interface ListPage {
  readonly leases: readonly SeenLease[];
  readonly next: ListPosition | null;
  readonly counts: ListCounts;
  readonly areCountsCapped: boolean;
}
