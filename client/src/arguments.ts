import { BadArgumentError } from './errors.js';

/** What may be wrong with an argument is said before anything is sent. The service has the last word. */

const encoder = new TextEncoder();
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/;

/** The name as the service keeps it, in NFC. */
export function checkResource(resource: unknown, argument = 'resource'): string {
  if (typeof resource !== 'string') throw new BadArgumentError(argument, 'must be a string');
  const name = checkText(resource, argument).normalize('NFC');
  const bytes = encoder.encode(name).length;
  const problem =
    bytes < 1 || bytes > 512
      ? `must be 1 to 512 bytes`
      : name === '.' || name === '..'
        ? 'must not be "." or ".."'
        : /^[\s\u0085]|[\s\u0085]$/.test(name)
          ? 'has outer white space'
          : undefined;
  if (problem === undefined) return name;
  throw new BadArgumentError(argument, problem);
}

/** A whole number up to 2^53, or any number up to infinity for a wait. */
export function checkNumber(
  value: unknown,
  argument: string,
  min: number,
  isWhole: boolean,
): number {
  const isRight =
    typeof value === 'number' && value >= min && (!isWhole || Number.isSafeInteger(value));
  if (isRight) return value;
  throw new BadArgumentError(
    argument,
    `must be a ${isWhole ? 'whole ' : ''}number of at least ${min}, and is ${String(value)}`,
  );
}

export type Metadata = Readonly<Record<string, string>>;

export function checkMetadata(metadata: Metadata): Metadata {
  const entries = Object.entries<unknown>(metadata);
  for (const [key, value] of entries) {
    if (typeof value !== 'string')
      throw new BadArgumentError(`metadata.${key}`, 'must be a string');
    checkText(key + value, `metadata.${key}`);
  }
  const bytes = encoder.encode(JSON.stringify(metadata)).length;
  if (entries.length <= 16 && bytes <= 2048) return metadata;
  throw new BadArgumentError('metadata', `must be at most 16 entries and 2048 bytes as JSON`);
}

function checkText(text: string, argument: string): string {
  if (controlCharacter.test(text)) {
    throw new BadArgumentError(argument, 'must not contain control characters');
  }
  try {
    // The one thing that this refuses is a lone surrogate; `isWellFormed` is not in every browser yet.
    encodeURIComponent(text);
  } catch {
    throw new BadArgumentError(argument, 'must be valid Unicode');
  }
  return text;
}

/** The service's address without a final slash. */
export function checkUrl(url: unknown): string {
  const text = String(url);
  if (/^https?:/i.test(text) && URL.canParse(text)) {
    const { origin, pathname } = new URL(text);
    return origin + pathname.replace(/\/+$/, '');
  }
  throw new BadArgumentError('url', 'must be an http address');
}
