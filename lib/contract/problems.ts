import { z } from 'zod';

import { forcedAnswer, lockAnswer } from './answers';

/** The stable words for what went wrong, with their usual status and title. */
export const problemCodes = {
  'invalid-request': { status: 422, title: 'The request is not valid' },
  'not-found': { status: 404, title: 'Not found' },
  'not-owner': { status: 403, title: 'Held by another owner' },
  'lock-expired': { status: 409, title: 'The lease is over' },
  'lock-lost': { status: 409, title: 'The lease was lost' },
  'lock-changed': { status: 409, title: 'The lock is not the one that was seen' },
  'last-admin': { status: 409, title: 'The last admin' },
  unauthenticated: { status: 401, title: 'No valid caller' },
  forbidden: { status: 403, title: 'Not allowed' },
  'method-not-allowed': { status: 405, title: 'Method not allowed' },
  'payload-too-large': { status: 413, title: 'The body is too large' },
  'unsupported-media-type': { status: 415, title: 'The body must be application/json' },
  'too-many-requests': { status: 429, title: 'Too many requests' },
  'store-unavailable': { status: 503, title: 'The store does not answer' },
  unavailable: { status: 503, title: 'Not available just now' },
  internal: { status: 500, title: 'Something went wrong here' },
} as const;

export type ProblemCode = keyof typeof problemCodes;

/** Each code as its own value: the shape in which zod takes an enum. */
const problemWords = wordsOf(problemCodes);

/** `Object.fromEntries` forgets the names; each key has just been given itself as value. */
function wordsOf<Word extends string>(
  table: Readonly<Record<Word, unknown>>,
): { [Each in Word]: Each } {
  return Object.fromEntries(Object.keys(table).map((word) => [word, word])) as {
    [Each in Word]: Each;
  };
}

export const fieldErrorAnswer = z.strictObject({ field: z.string(), message: z.string() });
export type FieldError = z.infer<typeof fieldErrorAnswer>;

/** `application/problem+json` (RFC 9457). */
export const problemAnswer = z
  .strictObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string(),
    code: z.enum(problemWords),
    errors: z.array(fieldErrorAnswer).optional(),
    /** With `lock-changed`: the lock as it is now. */
    lock: lockAnswer.optional(),
    /** With `lock-lost`: who ended the lease, if a person did. */
    forced: forcedAnswer.optional(),
  })
  .meta({ id: 'Problem' });

export type ProblemOnWire = z.infer<typeof problemAnswer>;
