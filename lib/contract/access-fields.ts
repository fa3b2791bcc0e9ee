import { z } from 'zod';

import { limits } from '../locks/limits';
import { checkName, checkResource, isPlainText } from '../locks/names';
import { roles, scopes } from './access';
import { typeError } from './fields';

/** The fields of keys and members. */

export const passwordCharactersMax = 256;
export const passwordCharactersMin = 12;

function text(max: number, description: string) {
  return z
    .string({ error: typeError('must be a string') })
    .transform((given, context) => {
      const value = given.trim().normalize('NFC');
      const problem = problemOfText(value, max);
      if (problem === null) return value;
      context.addIssue({ code: 'custom', message: problem, input: given });
      return z.NEVER;
    })
    .meta({ description, minLength: 1, maxLength: max });
}

function problemOfText(value: string, max: number): string | null {
  if (value === '') return 'must not be empty';
  if (!isPlainText(value)) return 'must be valid Unicode without control characters';
  const characters = Array.from(value).length;
  return characters > max ? `must be at most ${max} characters, and is ${characters}` : null;
}

/**
 * The history tells keys by their names and people by their addresses: no name may look like an address, nor like another
 * name than it is.
 */
export const keyNameField = text(100, 'What the key is for, as the history tells it.').transform(
  (name, context) => {
    const problem = problemOfKeyName(name);
    if (problem === null) return name;
    context.addIssue({ code: 'custom', message: problem, input: name });
    return z.NEVER;
  },
);

/** What else stands in the history as an actor: HOLDFAST_API_KEY, the first start, and whoever failed to sign in. */
export const otherActors: readonly string[] = ['env', 'first start', 'unknown'];
const unseen = /[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

function problemOfKeyName(name: string): string | null {
  const look = name.normalize('NFKC').toLowerCase();
  if (look.includes('@'))
    return 'must not contain @, which is how the history tells people from keys';
  if (unseen.test(name)) {
    return 'must not contain characters that are not seen or that turn the direction of writing';
  }
  if (!otherActors.includes(look)) return null;
  return `must not be "${look}", by which the history tells somebody else`;
}

export const clientField = z
  .string({ error: typeError('must be a string') })
  .transform((given, context) => {
    const checked = checkName(given, limits.clientBytesMax);
    if (checked.ok && checked.name !== 'env') return checked.name;
    const message = checked.ok ? 'must not be "env", which is HOLDFAST_API_KEY' : checked.problem;
    context.addIssue({ code: 'custom', message, input: given });
    return z.NEVER;
  })
  .meta({
    description:
      'The service account that the key is for. It is part of ownership; several keys may share it.',
    minLength: 1,
    maxLength: limits.clientBytesMax,
  });

export const scopesField = z
  .array(z.enum(scopes), { error: typeError(`must be an array of ${scopes.join(', ')}`) })
  .min(1, 'must name at least one scope')
  .transform((given) => scopes.filter((scope) => given.includes(scope)))
  .meta({ description: 'What the key may do. `operate` implies `read`.' });

export const patternField = z
  .string({ error: typeError('must be a string') })
  .transform((given, context) => {
    const value = given.normalize('NFC');
    const problem = problemOfPattern(value);
    if (problem === null) return value;
    context.addIssue({ code: 'custom', message: problem, input: given });
    return z.NEVER;
  });

/** A pattern that can cover no resource would only look as if it let somebody in. */
function problemOfPattern(value: string): string | null {
  if (value.slice(0, -1).includes('*')) return 'may have one *, at its end';
  // What a prefix ends with need not end a name: the star stands for what comes after it.
  const checked = value.endsWith('*')
    ? checkName(value, limits.resourceBytesMax)
    : checkResource(value, limits.resourceBytesMax);
  return checked.ok ? null : checked.problem;
}

export const patternsField = z
  .array(patternField, { error: typeError('must be an array of resource patterns') })
  .min(1, 'must name at least one pattern')
  .max(50, 'must name at most 50 patterns')
  .transform((given) => [...new Set(given)])
  .meta({ description: 'Which resources: an exact name, or a prefix with one * at its end.' });

/** Of the year 9999; behind an offset a time may well be of the year after, which no answer could tell. */
const timeMsMax = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

export const futureField = z.iso
  .datetime({ error: typeError('must be a time such as 2026-05-01T09:30:00Z'), offset: true })
  .transform((given) => Date.parse(given))
  .refine((ms) => ms <= timeMsMax, 'must be before the year 10000')
  .meta({ description: 'When the key stops working, RFC 3339.' });

export const overlapField = z
  .int({ error: typeError('must be a whole number of seconds from 0 to 2592000') })
  .min(0, 'must be a whole number of seconds from 0 to 2592000')
  .max(2_592_000, 'must be a whole number of seconds from 0 to 2592000')
  .meta({ description: 'How long the old secret goes on working, in seconds.' });

export const roleField = z.enum(roles, {
  error: typeError(`must be one of ${roles.join(', ')}`),
});

const emailCharactersMax = 200;
const emailMessage = `must be an e-mail address of at most ${emailCharactersMax} characters`;

export const emailField = z
  .email({ error: typeError(emailMessage) })
  .max(emailCharactersMax, emailMessage)
  .transform((given) => given.toLowerCase())
  .meta({ description: 'Whom the history names. Not case-sensitive.' });

export const personNameField = text(100, 'How the dashboard greets them.');

/** Counted in characters; no rule on their kinds, which makes passwords worse. */
export const passwordField = z
  .string({ error: typeError('must be a string') })
  .refine(
    (password) => Array.from(password).length >= passwordCharactersMin,
    `must be at least ${passwordCharactersMin} characters`,
  )
  .refine(
    (password) => password.length <= passwordCharactersMax,
    `must be at most ${passwordCharactersMax} characters`,
  )
  .meta({ minLength: passwordCharactersMin, maxLength: passwordCharactersMax });

export const linkTokenField = z
  .string({ error: typeError('must be a string') })
  .min(1, 'must not be empty')
  .max(200, 'is not the token of a link')
  .meta({ description: 'What stands after the # of the link.' });

export const idParameters = z.strictObject({
  id: z.string().regex(/^[\w-]{1,64}$/, 'must be an id of an answer'),
});
