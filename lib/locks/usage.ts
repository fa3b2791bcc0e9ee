import type { EventKind, LockEvent } from './events';
import type { Dated } from './lock-store';

/** What is usual, told from the history: how long locks are held, how often they are acquired, denied and lost. */

/** An event as far as usage looks at it. */
export interface UsageEvent extends Pick<LockEvent, 'atMs' | 'kind' | 'heldMs'> {
  readonly resource: string;
  /** Of `contended` and `renewed`: how many. */
  readonly count: number;
  /** Of a claim: whether the history has told the end of the lease before it already. */
  readonly isEndTold: boolean;
}

export interface Span {
  readonly sinceMs: number;
  readonly untilMs: number;
}

export interface UsageQuery {
  readonly spans: readonly Span[];
  /** The most events of each span that are looked at: its first. */
  readonly sampleMax: number;
  /** The most events of each notable kind that are looked at, over all spans: the newest. */
  readonly notableMax: number;
}

/** The kinds that are rare and matter, and are all counted where the rest is sampled. */
export const notableKinds = ['contended', 'expired', 'claimed', 'force_released'] as const;

export interface Usage {
  /** In the order of the spans; `events` is how many each has, about right if that is more than the sample. */
  readonly spans: readonly { readonly events: number; readonly sample: readonly UsageEvent[] }[];
  /** In any order. */
  readonly notable: readonly UsageEvent[];
}

export interface LockUsageQuery {
  readonly resource: string;
  readonly sinceMs: number;
  readonly limit: number;
}

/** The part of a store that tells of usage. Bounded by its limits, whatever the history holds. */
export interface UsageStore {
  /** The newest events of a resource, newest first. */
  lockUsage(query: LockUsageQuery): Promise<Dated<readonly LeaseEvent[]>>;
  usage(query: UsageQuery): Promise<Dated<Usage>>;
}

/** An event of one resource, as far as usage looks at it. */
export type LeaseEvent = Pick<LockEvent, 'atMs' | 'kind' | 'heldMs' | 'count' | 'fencingToken'>;

const grants: ReadonlySet<EventKind> = new Set(['acquired', 'reacquired', 'claimed']);
const ends: ReadonlySet<EventKind> = new Set([
  'released',
  'reacquired',
  'claimed',
  'expired',
  'force_released',
]);
const asides: ReadonlySet<EventKind> = new Set([
  'renewed',
  'contended',
  'noticed',
  'release_requested',
]);

export interface Tally {
  readonly acquires: number;
  /** Acquires that were denied. */
  readonly denials: number;
  /** Leases that ended without a release: nobody renewed them in time. */
  readonly lostLeases: number;
  readonly forcedReleases: number;
  /** How long each lease was held that ended. */
  readonly heldMs: readonly number[];
}

export function tally(events: readonly Omit<UsageEvent, 'resource' | 'atMs'>[]): Tally {
  const isLost = (event: (typeof events)[number]) =>
    event.kind === 'expired' || (event.kind === 'claimed' && !event.isEndTold);
  const isForced = ({ kind }: (typeof events)[number]) => kind === 'force_released';
  return {
    acquires: events.filter(({ kind }) => grants.has(kind)).length,
    denials: events.reduce((sum, { kind, count }) => sum + (kind === 'contended' ? count : 0), 0),
    lostLeases: events.filter(isLost).length,
    forcedReleases: events.filter(isForced).length,
    heldMs: events.flatMap(({ kind, heldMs, isEndTold }) =>
      ends.has(kind) && !isEndTold && heldMs !== null ? [heldMs] : [],
    ),
  };
}

export interface LockUsage extends Tally {
  /** The usual gap between two renewals, in milliseconds; null if none of its leases lived long enough to tell. */
  readonly renewEveryMs: number | null;
}

/** @param events of one resource, newest first. */
export function lockUsageOf(events: readonly LeaseEvent[]): LockUsage {
  const told = events.map((event, place) => {
    const before = events.slice(place + 1, place + 50).find(({ kind }) => !asides.has(kind));
    const isEndTold = event.kind === 'claimed' && before?.kind === 'expired';
    return { ...event, count: event.count ?? 0, isEndTold };
  });
  return { ...tally(told), renewEveryMs: middleOf(renewGaps(events)) };
}

/** Of each lease, from its newest `renewed` event: how long it had been held by then, and how often all of them tell. */
function renewGaps(events: readonly LeaseEvent[]): number[] {
  const byToken = new Map<number, { readonly heldMs: number; readonly renewed: number }>();
  for (const { kind, fencingToken, heldMs, count } of events) {
    if (kind !== 'renewed' || fencingToken === null || heldMs === null) continue;
    const newer = byToken.get(fencingToken);
    byToken.set(fencingToken, {
      heldMs: newer?.heldMs ?? heldMs,
      renewed: (newer?.renewed ?? 0) + (count ?? 0),
    });
  }
  return [...byToken.values()].map(({ heldMs, renewed }) =>
    Math.round(heldMs / Math.max(1, renewed)),
  );
}

/** The value that so many hundredths are no larger than; null of none. */
export function percentileOf(values: readonly number[], percent: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? null;
}

export function middleOf(values: readonly number[]): number | null {
  return percentileOf(values, 50);
}
