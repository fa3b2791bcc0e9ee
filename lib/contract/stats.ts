import { z } from 'zod';

import { statsLimits } from '../locks/stats';
import { time } from './answers';

/** What is usual: how often locks are acquired, denied and lost, and how long they are held. */

const count = z.int().min(0);

const heldMs = z
  .strictObject({ median: count, p95: count })
  .nullable()
  .meta({ description: 'How long the leases that ended were held; null if none did' });

const tally = {
  acquires: count,
  denials: count.meta({ description: 'Acquires that were denied' }),
  lost_leases: count.meta({ description: 'Leases that ran out without a release' }),
  forced_releases: count,
  held_ms: heldMs,
};

export const lockStatsAnswer = z.strictObject({
  resource: z.string(),
  since: time,
  until: time,
  ...tally,
  renew_every_ms: count.nullable().meta({ description: 'The usual gap between two renewals' }),
  events_read: count,
  is_complete: z.boolean().meta({
    description: `False when there were more than ${statsLimits.lockEventsMax} events: then since is the oldest that was read`,
  }),
});

export const statsRanges = ['15m', '1h', '6h', '24h', '7d', '30d'] as const;
export type StatsRange = (typeof statsRanges)[number];

const moment = z.iso
  .datetime({ offset: true, error: 'must be a time such as 2026-05-01T09:30:00Z' })
  .transform((given) => Date.parse(given))
  .meta({ type: 'string', format: 'date-time' });

export const statsQuery = z
  .strictObject({
    range: z.enum(statsRanges).optional(),
    since: moment.optional(),
    until: moment.optional(),
  })
  .superRefine(({ range, since, until }, context) => {
    const refuse = (field: string, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message });
    if (range !== undefined && since !== undefined) {
      refuse('range', 'must not be given together with since');
    }
    if (since === undefined || until === undefined) return;
    if (since >= until) refuse('until', 'must be after since');
    if (until - since > statsLimits.spanMsMax)
      refuse('since', 'must be at most 31 days before until');
  });

export const statsAnswer = z.strictObject({
  since: time,
  until: time,
  bucket_ms: count,
  ...tally,
  buckets: z
    .array(z.strictObject({ at: time, ...tally }))
    .max(statsLimits.bucketsMax)
    .meta({ description: 'Each from `at` on for bucket_ms' }),
  top_contended: z
    .array(z.strictObject({ resource: z.string(), denials: count, lost_leases: count }))
    .max(statsLimits.topMax),
  events_read: count,
  is_estimated: z.boolean().meta({
    description: 'Whether acquires and hold times are reckoned from a part of the events',
  }),
  now: time,
});

export type LockStatsOnWire = z.output<typeof lockStatsAnswer>;
export type StatsOnWire = z.output<typeof statsAnswer>;
export type StatsBucketOnWire = StatsOnWire['buckets'][number];
