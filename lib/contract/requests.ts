import { z } from 'zod';

import { limits, type LockSettings } from '../locks/limits';
import {
  fencingTokenField,
  holdSecondsField,
  metadataField,
  leaseOwnerField,
  reasonField,
  resourceField,
  ttlFields,
  ttlMsOf,
  typeError,
} from './fields';

/** The bodies of requests, from the wire's snake_case to what the verbs take. Unknown fields are refused by name. */

export const resourceParameters = z.strictObject({ resource: resourceField });

export function acquireBody(settings: LockSettings) {
  return z
    .strictObject({
      owner: leaseOwnerField,
      ...ttlFields(settings),
      metadata: metadataField.optional(),
    })
    .transform((body, context) => ({
      owner: body.owner,
      ttlMs: ttlMsOf(body, context),
      metadata: body.metadata ?? null,
    }));
}

export function renewBody(settings: LockSettings) {
  return z
    .strictObject({
      owner: leaseOwnerField,
      ...ttlFields(settings),
      fencing_token: fencingTokenField.optional(),
    })
    .transform((body, context) => ({
      owner: body.owner,
      ttlMs: ttlMsOf(body, context),
      fencingToken: body.fencing_token ?? null,
    }));
}

export const releaseBody = z
  .strictObject({ owner: leaseOwnerField, fencing_token: fencingTokenField.optional() })
  .transform((body) => ({ owner: body.owner, fencingToken: body.fencing_token ?? null }));

/** The same as a query, for clients that can't send a body with DELETE. */
export const releaseQuery = z
  .strictObject({
    owner: leaseOwnerField,
    fencing_token: z
      .string()
      .regex(/^[1-9]\d{0,15}$/, 'must be a whole number')
      .transform(Number)
      .pipe(fencingTokenField)
      .meta({ type: 'integer', minimum: 1, maximum: limits.fencingTokenMax })
      .optional(),
  })
  .transform((query) => ({ owner: query.owner, fencingToken: query.fencing_token ?? null }));

export const checkBody = z
  .strictObject({ fencing_token: fencingTokenField })
  .transform((body) => ({ fencingToken: body.fencing_token }));

export function forceReleaseBody(settings: LockSettings) {
  return z
    .strictObject({
      reason: reasonField.optional(),
      fencing_token: fencingTokenField,
      hold_seconds: holdSecondsField(settings).optional(),
      only_expired: z.boolean({ error: 'must be true or false' }).optional(),
    })
    .superRefine((body, context) => {
      if ((body.hold_seconds ?? 0) > 0 && body.reason === undefined) {
        context.addIssue({
          code: 'custom',
          message: 'is required to keep the resource closed',
          path: ['reason'],
          input: body.reason,
        });
      }
    })
    .transform((body) => ({
      reason: body.reason ?? null,
      fencingToken: body.fencing_token,
      holdMs: (body.hold_seconds ?? 0) * 1000,
      onlyExpired: body.only_expired ?? false,
    }));
}

export const bulkReleaseBody = z
  .strictObject({
    reason: reasonField.optional(),
    only_expired: z.boolean({ error: 'must be true or false' }).optional(),
    locks: z
      .array(z.strictObject({ resource: resourceField, fencing_token: fencingTokenField }), {
        error: typeError('must be an array of {resource, fencing_token}'),
      })
      .min(1, 'must name at least one lock')
      .max(limits.bulkReleaseMax, `must name at most ${limits.bulkReleaseMax} locks`),
  })
  .superRefine((body, context) => {
    const seen = new Set<string>();
    body.locks.forEach(({ resource }, index) => {
      if (seen.has(resource)) {
        const path = ['locks', index, 'resource'];
        context.addIssue({ code: 'custom', message: 'is named twice', path, input: resource });
      }
      seen.add(resource);
    });
  })
  .transform((body) => ({
    reason: body.reason ?? null,
    onlyExpired: body.only_expired ?? false,
    locks: body.locks.map((lock) => ({
      resource: lock.resource,
      fencingToken: lock.fencing_token,
    })),
  }));

export function holdBody(settings: LockSettings) {
  return z
    .strictObject({
      reason: reasonField,
      ...ttlFields(settings),
      fencing_token: fencingTokenField.optional(),
    })
    .transform((body, context) => ({
      reason: body.reason,
      ttlMs: ttlMsOf(body, context),
      fencingToken: body.fencing_token ?? null,
    }));
}

export const askReleaseBody = z
  .strictObject({ reason: reasonField, fencing_token: fencingTokenField })
  .transform((body) => ({ reason: body.reason, fencingToken: body.fencing_token }));
