import { visibleTo } from '@/lib/access/callers';
import type { StatsRange } from '@/lib/contract/stats';
import { lockStats, stats, statsLimits } from '@/lib/locks/stats';
import { percentileOf, type Tally } from '@/lib/locks/usage';

import { invalid } from '../problem';
import { handle } from '../route';
import { timeOnWire } from '../wire';

/** What is usual. */

const hourMs = 60 * 60 * 1000;
const spanMsOf = {
  '15m': hourMs / 4,
  '1h': hourMs,
  '6h': 6 * hourMs,
  '24h': 24 * hourMs,
  '7d': 7 * 24 * hourMs,
  '30d': 30 * 24 * hourMs,
} as const satisfies Record<StatsRange, number>;

export const readLockStats = handle('lockStats', async ({ parameters }, { services }) => {
  const found = await lockStats(services.locks, parameters.resource);
  return {
    status: 200,
    body: {
      resource: parameters.resource,
      since: timeOnWire(found.sinceMs),
      until: timeOnWire(found.untilMs),
      ...tallyOnWire(found),
      renew_every_ms: found.renewEveryMs,
      events_read: found.eventsRead,
      is_complete: found.isComplete,
    },
  };
});

export const readStats = handle('stats', async ({ query }, { services, caller }) => {
  const { since, until, range = '1h' } = query;
  const found = await stats(services.locks, {
    untilMs: until ?? null,
    since: since === undefined ? { spanMs: spanMsOf[range] } : { atMs: since },
    visible: visibleTo(caller),
  });
  assertSpan(found);
  return {
    status: 200,
    body: {
      since: timeOnWire(found.sinceMs),
      until: timeOnWire(found.untilMs),
      bucket_ms: found.bucketMs,
      ...tallyOnWire(found),
      buckets: found.buckets.map((bucket) => ({
        at: timeOnWire(bucket.atMs),
        ...tallyOnWire(bucket),
      })),
      top_contended: found.topContended.map(({ resource, denials, lostLeases }) => ({
        resource,
        denials,
        lost_leases: lostLeases,
      })),
      events_read: found.eventsRead,
      is_estimated: found.isEstimated,
      now: timeOnWire(found.nowMs),
    },
  };
});

/** Without `until`, only the store's clock tells how long it is since then. */
function assertSpan({ sinceMs, untilMs }: { sinceMs: number; untilMs: number }): void {
  if (sinceMs >= untilMs) throw invalid([{ field: 'since', message: 'must not be in the future' }]);
  if (untilMs - sinceMs > statsLimits.spanMsMax) {
    throw invalid([{ field: 'since', message: 'must be at most 31 days ago, or before until' }]);
  }
}

function tallyOnWire({ acquires, denials, lostLeases, forcedReleases, heldMs }: Tally) {
  const median = percentileOf(heldMs, 50);
  const p95 = percentileOf(heldMs, 95);
  return {
    acquires,
    denials,
    lost_leases: lostLeases,
    forced_releases: forcedReleases,
    held_ms: median === null || p95 === null ? null : { median, p95 },
  };
}
