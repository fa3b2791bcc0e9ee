import { z } from 'zod';

import { contentionLimits } from '../locks/contention';
import { eventKinds } from '../locks/events';
import { leaseConditions, leaseStates } from '../locks/lease';

/** What the API answers with. The same schemas make the OpenAPI document and the types of the dashboard. */

export const time = z.iso
  .datetime({ precision: 3 })
  .meta({ description: 'RFC 3339, UTC, milliseconds' });
const count = z.int().min(0);

export const metadataAnswer = z.record(z.string(), z.string()).nullable();

const heldByOperator = z.strictObject({ name: z.string(), reason: z.string() }).nullable();

export const forcedAnswer = z.strictObject({
  by: z.string(),
  reason: z.string().nullable(),
  at: time,
});

export const lockAnswer = z
  .strictObject({
    id: z.string(),
    resource: z.string(),
    owner: z.string(),
    acquired_at: time,
    expires_at: time,
    renewed_at: time.nullable(),
    renew_count: count,
    renew_every_ms: count.nullable(),
    ttl_ms: count,
    fencing_token: z.int().min(1),
    state: z.enum(leaseStates),
    condition: z.enum(leaseConditions).nullable(),
    remaining_ms: count.meta({ description: 'What is left when the answer is written' }),
    client: z.string().nullable(),
    held_by_operator: heldByOperator,
    release_requested: z.strictObject({ by: z.string(), reason: z.string(), at: time }).nullable(),
    contention: z
      .strictObject({ attempts: count, owners: count, last_owner: z.string(), last_at: time })
      .nullable(),
    metadata: metadataAnswer,
  })
  .meta({ id: 'Lock' });

export const holderAnswer = z
  .strictObject({
    id: z.string(),
    owner: z.string(),
    client: z.string().nullable(),
    acquired_at: time,
    expires_at: time,
    fencing_token: z.int().min(1),
    held_by_operator: heldByOperator,
    metadata: metadataAnswer,
  })
  .meta({ id: 'Holder' });

export const acquireAnswer = z.discriminatedUnion('acquired', [
  z.strictObject({ acquired: z.literal(true), lock: lockAnswer }),
  z.strictObject({
    acquired: z.literal(false),
    resource: z.string(),
    holder: holderAnswer,
    retry_after_ms: z.int().min(1),
  }),
]);

export const oneLockAnswer = z.strictObject({ lock: lockAnswer });
export const inspectAnswer = z.strictObject({ lock: lockAnswer, now: time });

export const countsAnswer = z.strictObject({
  active: count,
  expired: count,
  expiring: count,
  silent: count,
  closed: count,
  asked: count,
});

export const listAnswer = z.strictObject({
  locks: z.array(lockAnswer),
  next_cursor: z.string().nullable(),
  counts: countsAnswer,
  counts_capped: z.boolean(),
  now: time,
});

export const checkAnswer = z.strictObject({
  valid: z.boolean(),
  fencing_token: z.int().min(1).nullable(),
  state: z.enum([...leaseStates, 'free']),
});

export const forceReleaseAnswer = z.strictObject({
  released: lockAnswer,
  hold: lockAnswer.nullable(),
});

export const bulkReleaseAnswer = z.strictObject({
  results: z.array(
    z.strictObject({
      resource: z.string(),
      outcome: z.enum([
        'released',
        'not-found',
        'lock-changed',
        'still-active',
        'reason-required',
        'forbidden',
      ]),
    }),
  ),
});

export const eventAnswer = z
  .strictObject({
    id: z.string(),
    at: time,
    kind: z.enum(eventKinds),
    resource: z.string().nullable(),
    owner: z.string().nullable(),
    fencing_token: z.int().nullable(),
    expires_at: time.nullable(),
    previous_owner: z.string().nullable(),
    client: z.string().nullable(),
    actor: z.string().nullable(),
    reason: z.string().nullable(),
    count: count.nullable(),
    held_ms: count.nullable(),
    request_id: z.string().nullable(),
    subject: z.string().nullable(),
  })
  .meta({ id: 'Event' });

export const eventsAnswer = z.strictObject({
  events: z.array(eventAnswer),
  next_cursor: z.string().nullable(),
});

/** What is worth knowing of a store; the warnings are sentences. */
const storeReport = z
  .strictObject({
    kind: z.enum(['sqlite', 'postgresql', 'redis']),
    version: z.string(),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'StoreReport' });

export const statusAnswer = z.strictObject({
  version: z.string(),
  /** How long the store took to read one lock; null if it does not answer. */
  latency_ms: z.number().nullable(),
  /** Where the locks are. */
  store: storeReport,
  /** Where people, keys and the history are, and the locks as well unless they are in Redis. */
  database: storeReport,
});

export const askerAnswer = z
  .strictObject({
    owner: z.string(),
    client: z.string().nullable(),
    attempts: z.int().min(1).meta({ description: 'How often it was denied since first_at' }),
    first_at: time.meta({ description: 'Since when it asks, without a pause of a minute' }),
    last_at: time,
  })
  .meta({ id: 'Asker' });

export const contentionAnswer = z.strictObject({
  askers: z.array(askerAnswer).max(contentionLimits.askersShownMax),
  now: time,
});

export const liveAnswer = z.strictObject({ status: z.literal('ok') });

export type LockOnWire = z.infer<typeof lockAnswer>;
export type HolderOnWire = z.infer<typeof holderAnswer>;
export type AskerOnWire = z.infer<typeof askerAnswer>;
export type EventOnWire = z.infer<typeof eventAnswer>;
export type ListOnWire = z.infer<typeof listAnswer>;
export type CountsOnWire = z.infer<typeof countsAnswer>;
export type BulkReleaseOnWire = z.infer<typeof bulkReleaseAnswer>;
export type BulkReleaseOutcome = BulkReleaseOnWire['results'][number]['outcome'];
export type EventsOnWire = z.infer<typeof eventsAnswer>;
export type StatusOnWire = z.infer<typeof statusAnswer>;
export type ForcedOnWire = z.infer<typeof forcedAnswer>;
