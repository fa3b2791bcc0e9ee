import { parseArgs } from 'node:util';

import { UsageError } from './usage.js';

/** The arguments of each command, checked before anything is done. */

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const everywhere = { url: text, json: flag, help: flag, version: flag } as const;

export const commands = {
  run: { ttl: text, wait: text, 'max-hold': text, 'kill-after': text, job: text, link: text },
  ls: { prefix: text, q: text, owner: text, state: text, limit: text, names: flag },
  show: {},
  history: { limit: text },
  watch: {},
  check: {},
  'force-release': { token: text, reason: text, hold: text },
  hold: { token: text, reason: text, ttl: text },
  login: {},
  completion: {},
} as const;

export type CommandName = keyof typeof commands;

export function isCommand(word: string): word is CommandName {
  return Object.hasOwn(commands, word);
}

export interface Arguments {
  readonly positionals: readonly string[];
  /** What follows `--`. */
  readonly rest: readonly string[];
  text(name: string): string | undefined;
  flag(name: string): boolean;
  /** In milliseconds. */
  duration(name: string): number | undefined;
  whole(name: string): number | undefined;
}

/** @throws UsageError. */
export function parseCommand(command: CommandName, given: readonly string[]): Arguments {
  const end = given.indexOf('--');
  const own = end < 0 ? given : given.slice(0, end);
  const { values, positionals } = parsed(command, own);
  const textOf = (name: string) => {
    const value = values[name];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    positionals,
    rest: end < 0 ? [] : given.slice(end + 1),
    text: textOf,
    flag: (name) => values[name] === true,
    duration(name) {
      const value = textOf(name);
      return value === undefined ? undefined : parseDuration(value, `--${name}`);
    },
    whole(name) {
      const value = textOf(name);
      return value === undefined ? undefined : parseWhole(value, `--${name}`);
    },
  };
}

function parsed(command: CommandName, own: readonly string[]) {
  try {
    return parseArgs({
      args: [...own],
      options: { ...everywhere, ...commands[command] },
      allowPositionals: true,
      strict: true,
    }) as { values: Record<string, string | boolean | undefined>; positionals: string[] };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

const unitsMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export function parseDuration(value: string, name: string): number {
  const [, count = '', unit = ''] = /^(\d{1,12})(ms|s|m|h|d)$/.exec(value) ?? [];
  const unitMs = Object.entries(unitsMs).find(([each]) => each === unit)?.[1];
  if (unitMs !== undefined) return Number(count) * unitMs;
  throw new UsageError(`${name} must be a number with ms, s, m, h or d, such as 30s`);
}

export function parseWhole(value: string, name: string): number {
  if (/^[1-9]\d{0,14}$/.test(value)) return Number(value);
  throw new UsageError(`${name} must be a whole number`);
}

export function only(
  { positionals }: Arguments,
  names: readonly string[],
  optional = 0,
): readonly string[] {
  const least = names.length - optional;
  if (positionals.length >= least && positionals.length <= names.length) return positionals;
  throw new UsageError(
    least === 0 && names.length === 0
      ? 'Nothing else is taken here'
      : `Give ${names.join(' and ')}`,
  );
}
