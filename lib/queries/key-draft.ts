import { scopes, type Scope } from '../contract/access';
import { clientField, keyNameField, otherActors, patternsField } from '../contract/access-fields';

/**
 * What an admin has typed of a new key, and what is wrong with it. Whether a value is good is said by the contract's own
 * fields; here it is only told apart what is said about it.
 */

export type NameProblem = 'empty' | 'at' | 'tooLong' | 'reserved' | 'characters';
export type ClientProblem = 'empty' | 'env' | 'space' | 'tooLong' | 'characters';
export type PatternProblem = 'star' | 'space' | 'dots' | 'tooLong' | 'characters';

export interface PatternLine {
  /** From 1, as the lines stand in the field. */
  readonly line: number;
  readonly problem: PatternProblem;
}

export interface PatternsDraft {
  readonly patterns: readonly string[];
  readonly wrong: readonly PatternLine[];
  readonly isEmpty: boolean;
  readonly isTooMany: boolean;
}

export const patternsMax = 50;

export function nameProblem(text: string): NameProblem | null {
  if (keyNameField.safeParse(text).success) return null;
  if (text.trim() === '') return 'empty';
  const look = text.normalize('NFKC');
  if (look.includes('@')) return 'at';
  if (Array.from(text.trim()).length > 100) return 'tooLong';
  return otherActors.includes(look.trim().toLowerCase()) ? 'reserved' : 'characters';
}

export function clientProblem(text: string): ClientProblem | null {
  if (clientField.safeParse(text).success) return null;
  if (text.trim() === '') return 'empty';
  if (text === 'env') return 'env';
  if (text.trim() !== text) return 'space';
  return isLong(text, 255) ? 'tooLong' : 'characters';
}

/** One pattern a line; lines without any text are left out, and so are repetitions. */
export function parsePatterns(text: string): PatternsDraft {
  const lines = text
    .split('\n')
    .map((given, index) => ({ line: index + 1, pattern: given.replace(/\r$/, '') }))
    .filter(({ pattern }) => pattern.trim() !== '');
  const wrong = lines.flatMap(({ line, pattern }) => {
    const problem = patternProblem(pattern);
    return problem === null ? [] : [{ line, problem }];
  });
  const patterns = [...new Set(lines.map(({ pattern }) => pattern))];
  return {
    patterns,
    wrong,
    isEmpty: patterns.length === 0,
    isTooMany: patterns.length > patternsMax,
  };
}

function patternProblem(pattern: string): PatternProblem | null {
  if (patternsField.safeParse([pattern]).success) return null;
  if (pattern.slice(0, -1).includes('*')) return 'star';
  if (pattern.trim() !== pattern) return 'space';
  if (pattern === '.' || pattern === '..') return 'dots';
  return isLong(pattern, 512) ? 'tooLong' : 'characters';
}

function isLong(text: string, bytesMax: number): boolean {
  return new TextEncoder().encode(text.normalize('NFC')).length > bytesMax;
}

/** In the contract's order, each once. */
export function toggleScope(chosen: readonly Scope[], scope: Scope): readonly Scope[] {
  return scopes.filter((known) => (known === scope) !== chosen.includes(known));
}

const wholeSecret = /hf_[0-9a-f]{12}(?=_)/;

/** Who pastes a secret to find its key must not leave it in the address bar: the beginning of it is enough. */
export function searchableText(text: string): string {
  return wholeSecret.exec(text)?.[0] ?? text;
}
