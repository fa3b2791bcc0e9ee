import type { LockContext } from './lock-rules';
import { isCovered, type ResourcePattern } from './patterns';
import {
  lockUsageOf,
  tally,
  type LockUsage,
  type Span,
  type Tally,
  type Usage,
  type UsageEvent,
} from './usage';

export const statsLimits = {
  /** The usage of one lock is told from so long ago. */
  lockSpanMs: 7 * 24 * 60 * 60 * 1000,
  /** The most events of one lock that are looked at: the newest. */
  lockEventsMax: 5_000,
  spanMsMax: 31 * 24 * 60 * 60 * 1000,
  bucketsMax: 60,
  /** The most events of a bucket that are looked at; what there are more is reckoned from them. */
  sampleMax: 300,
  /** The same over all buckets: of many, each has a smaller part. */
  sampledMax: 3_000,
  notableMax: 2_000,
  topMax: 10,
} as const;

export interface LockStats extends Span, LockUsage {
  readonly eventsRead: number;
  /** False when there are more events in that time than were looked at: then all of it is since `sinceMs`. */
  readonly isComplete: boolean;
}

/** What was usual for a resource in the last week, or since the oldest event that was looked at. */
export async function lockStats({ store }: LockContext, resource: string): Promise<LockStats> {
  const { nowMs } = await store.inspect(resource);
  const weekAgoMs = nowMs - statsLimits.lockSpanMs;
  const limit = statsLimits.lockEventsMax;
  const { outcome } = await store.lockUsage({ resource, sinceMs: weekAgoMs, limit });
  const isComplete = outcome.length < limit;
  const sinceMs = isComplete ? weekAgoMs : (outcome.at(-1)?.atMs ?? weekAgoMs);
  const usage = lockUsageOf(outcome);
  return { ...usage, sinceMs, untilMs: nowMs, eventsRead: outcome.length, isComplete };
}

export interface StatsWanted {
  /** Null for now. */
  readonly untilMs: number | null;
  /** From when; or how long before `untilMs`. */
  readonly since: { readonly atMs: number } | { readonly spanMs: number };
  readonly visible: readonly ResourcePattern[] | null;
}

export interface Bucket extends Tally {
  readonly atMs: number;
}

export interface Contended {
  readonly resource: string;
  readonly denials: number;
  readonly lostLeases: number;
}

export interface Stats extends Span, Tally {
  readonly nowMs: number;
  readonly bucketMs: number;
  readonly buckets: readonly Bucket[];
  readonly topContended: readonly Contended[];
  readonly eventsRead: number;
  /** Whether some of the numbers are reckoned from a part of the events. */
  readonly isEstimated: boolean;
}

/** What went on in a time, in buckets, of the resources that a caller may see. */
export async function stats({ store }: LockContext, wanted: StatsWanted): Promise<Stats> {
  const { nowMs } = await store.inspect('');
  // Rounded, so that those who look at the same time ask the same.
  const untilMs = wanted.untilMs ?? Math.ceil(nowMs / nowStepMs) * nowStepMs;
  const sinceMs = 'atMs' in wanted.since ? wanted.since.atMs : untilMs - wanted.since.spanMs;
  const bucketMs = bucketFor(untilMs - sinceMs);
  const spans = spansOf(sinceMs, untilMs, bucketMs);
  const { notableMax } = statsLimits;
  const sampleMax = Math.min(
    statsLimits.sampleMax,
    Math.floor(statsLimits.sampledMax / Math.max(1, spans.length)),
  );
  const { outcome } = await store.usage({ spans, sampleMax, notableMax });
  const usage = seenBy(outcome, wanted.visible);
  const buckets = spans.map((span, place) =>
    bucketOf(span, usage, { found: usage.spans[place], sampleMax }),
  );
  return {
    nowMs,
    sinceMs,
    untilMs,
    bucketMs,
    buckets,
    ...total(buckets),
    topContended: topContended(usage.notable),
    eventsRead: outcome.spans.reduce(
      (sum, { sample }) => sum + sample.length,
      outcome.notable.length,
    ),
    isEstimated:
      outcome.spans.some(({ events }) => events > sampleMax) ||
      outcome.notable.length >= notableMax,
  };
}

const nowStepMs = 5_000;

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const bucketSizesMs = [
  ...[second, 10 * second, 30 * second],
  ...[minute, 5 * minute, 15 * minute, 30 * minute],
  ...[hour, 3 * hour, 6 * hour, 12 * hour, 24 * hour],
];

function bucketFor(spanMs: number): number {
  const enough = bucketSizesMs.find((sizeMs) => spanMs / sizeMs <= statsLimits.bucketsMax);
  return enough ?? 24 * hour;
}

function spansOf(sinceMs: number, untilMs: number, bucketMs: number): Span[] {
  const buckets = Math.min(statsLimits.bucketsMax, Math.ceil((untilMs - sinceMs) / bucketMs));
  return Array.from({ length: buckets }, (_, place) => {
    const startMs = sinceMs + place * bucketMs;
    return { sinceMs: startMs, untilMs: Math.min(untilMs, startMs + bucketMs) };
  });
}

function seenBy({ spans, notable }: Usage, visible: readonly ResourcePattern[] | null): Usage {
  if (visible === null) return { spans, notable };
  const isSeen = ({ resource }: UsageEvent) => isCovered(resource, visible);
  return {
    spans: spans.map(({ events, sample }) => ({ events, sample: sample.filter(isSeen) })),
    notable: notable.filter(isSeen),
  };
}

/** Notable events are all there; the acquires and hold times are of a sample where there are more than it holds. */
function bucketOf(
  { sinceMs, untilMs }: Span,
  { notable }: Usage,
  { found, sampleMax }: { found: Usage['spans'][number] | undefined; sampleMax: number },
): Bucket {
  const exact = tally(notable.filter(({ atMs }) => atMs >= sinceMs && atMs < untilMs));
  const sampled = tally(found?.sample ?? []);
  const scale = Math.max(1, (found?.events ?? 0) / sampleMax);
  return {
    ...exact,
    atMs: sinceMs,
    acquires: Math.round(sampled.acquires * scale),
    heldMs: sampled.heldMs,
  };
}

function total(buckets: readonly Bucket[]): Tally {
  const sum = (of: (bucket: Bucket) => number) =>
    buckets.reduce((sumSoFar, bucket) => sumSoFar + of(bucket), 0);
  return {
    acquires: sum(({ acquires }) => acquires),
    denials: sum(({ denials }) => denials),
    lostLeases: sum(({ lostLeases }) => lostLeases),
    forcedReleases: sum(({ forcedReleases }) => forcedReleases),
    heldMs: buckets.flatMap(({ heldMs }) => heldMs),
  };
}

function topContended(notable: readonly UsageEvent[]): readonly Contended[] {
  const byResource = new Map<string, UsageEvent[]>();
  for (const event of notable) {
    const known = byResource.get(event.resource);
    if (known === undefined) byResource.set(event.resource, [event]);
    else known.push(event);
  }
  return [...byResource]
    .map(([resource, events]) => {
      const { denials, lostLeases } = tally(events);
      return { resource, denials, lostLeases };
    })
    .filter(({ denials }) => denials > 0)
    .sort((a, b) => b.denials - a.denials)
    .slice(0, statsLimits.topMax);
}
