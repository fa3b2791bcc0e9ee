import { z } from 'zod';

import { limits, type LockSettings } from '../locks/limits';
import { checkName, checkResource, isPlainText, type NameCheck } from '../locks/names';

/** The fields that requests are made of. Each says in one sentence what is wrong with a refused value. */

/** What is said of a value of the wrong type, and of one that is missing. */
export function typeError(message: string) {
  return (issue: { readonly input?: unknown }) =>
    issue.input === undefined ? 'is required' : message;
}

function named(check: (text: string) => NameCheck, bytesMax: number, description: string) {
  return z
    .string({ error: typeError('must be a string') })
    .transform((text, context) => {
      const checked = check(text);
      if (checked.ok) return checked.name;
      context.addIssue({ code: 'custom', message: checked.problem, input: text });
      return z.NEVER;
    })
    .meta({ description, minLength: 1, maxLength: bytesMax });
}

export const resourceField = named(
  (text) => checkResource(text, limits.resourceBytesMax),
  limits.resourceBytesMax,
  `The name of the thing locked: 1 to ${limits.resourceBytesMax} bytes of UTF-8 after NFC, without control characters or outer white space.`,
);

const ownerField = named(
  (text) => checkName(text, limits.ownerBytesMax),
  limits.ownerBytesMax,
  `The token of whoever holds the lock, unique for each attempt: 1 to ${limits.ownerBytesMax} bytes of UTF-8 after NFC.`,
);

/** The owner of a lease that a service may claim: those of operators' holds are theirs. */
export const leaseOwnerField = ownerField.refine(
  (owner) => !owner.startsWith('operator:'),
  'must not begin with "operator:", which is kept for holds',
);

function integer(min: number, max: number, description: string) {
  const message = `must be a whole number from ${min} to ${max}`;
  return z
    .int({ error: typeError(message) })
    .min(min, message)
    .max(max, message)
    .meta({ description });
}

export const fencingTokenField = integer(
  1,
  limits.fencingTokenMax,
  'A fencing token: of two leases on one resource the later has the larger one, for ever.',
);

/** A reason is trimmed, since it is prose; its length is counted in characters, not bytes. */
export const reasonField = z
  .string({ error: typeError('must be a string') })
  .transform((text, context) => {
    const reason = text.trim();
    const problem = problemOfReason(reason);
    if (problem === null) return reason;
    context.addIssue({ code: 'custom', message: problem, input: text });
    return z.NEVER;
  })
  .meta({
    description: `Why, kept in the history: ${limits.reasonCharactersMin} to ${limits.reasonCharactersMax} characters on one line.`,
    minLength: limits.reasonCharactersMin,
    maxLength: limits.reasonCharactersMax,
  });

function problemOfReason(reason: string): string | null {
  const { reasonCharactersMin: min, reasonCharactersMax: max } = limits;
  if (!isPlainText(reason))
    return 'must be valid Unicode without control characters or line breaks';
  const characters = Array.from(reason).length;
  if (characters < min || characters > max)
    return `must be ${min} to ${max} characters, and is ${characters}`;
  return null;
}

const metadataEncoder = new TextEncoder();

const metadataRecord = z
  .record(z.string(), z.string({ error: typeError('must be a string') }), {
    error: typeError('must be a flat object of strings'),
  })
  .superRefine((metadata, context) => {
    const problem = problemOfMetadata(metadata);
    if (problem !== null) context.addIssue({ code: 'custom', message: problem, input: metadata });
  });

/** `__proto__` is refused first, since the record would drop it and say nothing. */
export const metadataField = z
  .preprocess((metadata, context) => {
    if (typeof metadata === 'object' && metadata !== null && Object.hasOwn(metadata, '__proto__')) {
      const path = ['__proto__'];
      context.addIssue({ code: 'custom', message: 'is not a possible key', path, input: metadata });
    }
    return metadata;
  }, metadataRecord)
  .meta({
    description: `A flat object of at most ${limits.metadataEntriesMax} strings, ${limits.metadataBytesMax / 1024} KiB in all as JSON. Known keys: host, pid, job, link, client_version.`,
    maxProperties: limits.metadataEntriesMax,
  });

function problemOfMetadata(metadata: Record<string, string>): string | null {
  const entries = Object.entries(metadata);
  if (entries.length > limits.metadataEntriesMax) {
    return `must have at most ${limits.metadataEntriesMax} entries, and has ${entries.length}`;
  }
  if (!entries.flat().every(isPlainText)) {
    return 'must be valid Unicode without control characters, keys and values';
  }
  const bytes = metadataEncoder.encode(JSON.stringify(metadata)).length;
  if (bytes > limits.metadataBytesMax) {
    return `must be at most ${limits.metadataBytesMax} bytes as JSON, and is ${bytes}`;
  }
  return null;
}

/** `ttl_seconds` or `ttl_ms`: wherever a TTL is taken, exactly one of the two. */
export function ttlFields(settings: LockSettings) {
  return {
    ttl_seconds: integer(
      1,
      Math.floor(settings.ttlMsMax / 1000),
      'How long the lease lasts without renewal, in seconds. Exactly one of ttl_seconds and ttl_ms.',
    ).optional(),
    ttl_ms: integer(
      limits.ttlMsMin,
      settings.ttlMsMax,
      'How long the lease lasts without renewal, in milliseconds. Exactly one of ttl_seconds and ttl_ms.',
    ).optional(),
  };
}

/** The TTL of a body in milliseconds; adds an issue if it carries none of the two fields, or both. */
export function ttlMsOf(
  body: { ttl_seconds?: number | undefined; ttl_ms?: number | undefined },
  context: z.RefinementCtx,
): number {
  const { ttl_seconds: seconds, ttl_ms: ms } = body;
  if (ms !== undefined && seconds === undefined) return ms;
  if (seconds !== undefined && ms === undefined) return seconds * 1000;
  const message =
    seconds === undefined
      ? 'is required: give ttl_seconds or ttl_ms'
      : 'must not be given together with ttl_ms';
  context.addIssue({ code: 'custom', message, path: ['ttl_seconds'], input: seconds });
  return z.NEVER;
}

/** How long a force-released resource stays closed, in seconds; 0 for not at all. */
export function holdSecondsField(settings: LockSettings) {
  return integer(
    0,
    Math.floor(settings.ttlMsMax / 1000),
    'Keep the resource closed this long, in the same atomic step. Needs a reason.',
  );
}
