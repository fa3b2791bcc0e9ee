import { parseArgs } from 'node:util';

import { openPostgresCounter } from '@/lib/store/postgresql/token-counter';
import { openSqliteCounter } from '@/lib/store/sqlite/token-counter';
import {
  raisedFrom,
  tokenMax,
  type TokenCounter,
  type TokenRaise,
} from '@/lib/store/token-counter';

import { EnvironmentError, readDatabaseChoice, type DatabaseChoice } from './env';
import { rootMessage } from './open-store';

const usage = `Usage: npm run tokens -- show
       npm run tokens -- raise --by 1000000000 [--yes]
       npm run tokens -- raise --to 5000000000 [--yes]
The database is that of DATABASE_URL, and may be in use. Without --yes nothing is changed.
Exit codes: 0 it stands as asked, 1 it failed, 2 nothing was changed since --yes is missing.`;

export interface CommandResult {
  readonly exitCode: 0 | 1 | 2;
  readonly text: string;
}

class UsageError extends Error {}

/** Shows the counter of fencing tokens, or raises it. A raise that is not confirmed only tells what it would do. */
export async function runTokensCommand(args: readonly string[]): Promise<CommandResult> {
  let counter: TokenCounter | null = null;
  try {
    const { raise, isConfirmed } = parseCommand(args);
    counter = openCounter(readDatabaseChoice());
    if (raise === null) return { exitCode: 0, text: await told(counter) };
    return await (isConfirmed ? carryOut(counter, raise) : preview(counter, raise));
  } catch (error) {
    return { exitCode: 1, text: reasonOf(error) };
  } finally {
    await counter?.close();
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof UsageError) return `${error.message}\n\n${usage}`;
  if (error instanceof EnvironmentError) return error.message;
  return `The token counter of DATABASE_URL can't be reached or raised: ${rootMessage(error)}`;
}

interface Command {
  /** Null to show the counter. */
  readonly raise: TokenRaise | null;
  readonly isConfirmed: boolean;
}

/** @throws UsageError */
function parseCommand(args: readonly string[]): Command {
  const { positionals, values } = parseWords(args);
  const [verb, ...rest] = positionals;
  if (rest.length > 0) throw new UsageError(`There is nothing to do with ${rest.join(' ')}.`);
  const { by, to, yes: isConfirmed } = values;
  if (verb === 'show' && by === undefined && to === undefined) return { raise: null, isConfirmed };
  if (verb !== 'raise') throw new UsageError('Say show or raise.');
  if (by !== undefined && to === undefined) {
    return { raise: { by: countOf('--by', by) }, isConfirmed };
  }
  if (to !== undefined && by === undefined) {
    return { raise: { to: countOf('--to', to) }, isConfirmed };
  }
  throw new UsageError('Say either --by or --to.');
}

function parseWords(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        by: { type: 'string' },
        to: { type: 'string' },
        yes: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new UsageError(rootMessage(error));
  }
}

function countOf(option: string, text: string): number {
  const count = /^\d{1,16}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= tokenMax) return count;
  throw new UsageError(`${option} must be a whole number from 1 to ${tokenMax}.`);
}

function openCounter(database: DatabaseChoice): TokenCounter {
  switch (database.kind) {
    case 'sqlite':
      return openSqliteCounter(database.url);
    case 'postgresql':
      return openPostgresCounter(database);
  }
}

async function told(counter: TokenCounter): Promise<string> {
  return `The last token that was drawn is ${await counter.read()}.`;
}

async function carryOut(counter: TokenCounter, raise: TokenRaise): Promise<CommandResult> {
  const raised = await counter.raise(raise);
  if (raised === null) return tooFar(await counter.read());
  const { before, after } = raised;
  if (after === before) return notLowered(before);
  return {
    exitCode: 0,
    text: `The token counter was raised from ${before} to ${after}. The next token is ${after + 1}.`,
  };
}

async function preview(counter: TokenCounter, raise: TokenRaise): Promise<CommandResult> {
  const before = await counter.read();
  const after = raisedFrom(before, raise);
  if (after === null) return tooFar(before);
  if (after === before) return notLowered(before);
  const text = `The token counter stands at ${before} and would be raised to ${after}. Nothing was changed: add --yes to do it.`;
  return { exitCode: 2, text };
}

function notLowered(before: number): CommandResult {
  return {
    exitCode: 0,
    text: `The token counter stands at ${before} already. It is never lowered.`,
  };
}

function tooFar(before: number): CommandResult {
  return {
    exitCode: 1,
    text: `The token counter stands at ${before}, and may not pass ${tokenMax}. Nothing was changed.`,
  };
}
