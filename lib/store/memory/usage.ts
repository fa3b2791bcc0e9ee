import type { LockEvent } from '../../locks/events';
import {
  notableKinds,
  type LeaseEvent,
  type LockUsageQuery,
  type Usage,
  type UsageEvent,
  type UsageQuery,
} from '../../locks/usage';

export function lockUsage(events: readonly LockEvent[], query: LockUsageQuery): LeaseEvent[] {
  return events
    .filter(({ resource }) => resource === query.resource)
    .toReversed()
    .slice(0, query.limit)
    .filter(({ atMs }) => atMs >= query.sinceMs)
    .map(({ atMs, kind, heldMs, count, fencingToken }) => {
      return { atMs, kind, heldMs, count, fencingToken };
    });
}

export function usage(events: readonly LockEvent[], query: UsageQuery): Usage {
  const spans = query.spans.map(({ sinceMs, untilMs }) => {
    const within = events.filter(({ atMs }) => atMs >= sinceMs && atMs < untilMs);
    const sample = within.slice(0, query.sampleMax).flatMap((event) => usageEvent(events, event));
    return { events: within.length, sample };
  });
  const sinceMs = query.spans[0]?.sinceMs ?? 0;
  const untilMs = query.spans.at(-1)?.untilMs ?? 0;
  const notable = notableKinds.flatMap((kind) =>
    events
      .filter((event) => event.kind === kind && event.atMs >= sinceMs && event.atMs < untilMs)
      .slice(-query.notableMax)
      .flatMap((event) => usageEvent(events, event)),
  );
  return { spans, notable };
}

/** The history of keys and people is no lock's. */
function usageEvent(events: readonly LockEvent[], event: LockEvent): readonly UsageEvent[] {
  const { resource } = event;
  if (resource === null) return [];
  const asides = ['renewed', 'contended', 'noticed', 'release_requested'];
  const before = events.findLast(
    (other) =>
      other.resource === resource &&
      Number(other.id) < Number(event.id) &&
      !asides.includes(other.kind),
  );
  return [
    {
      atMs: event.atMs,
      kind: event.kind,
      resource,
      heldMs: event.heldMs,
      count: event.count ?? 0,
      isEndTold: event.kind === 'claimed' && before?.kind === 'expired',
    },
  ];
}
