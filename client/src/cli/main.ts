import { HoldfastError } from '../errors.js';
import { version } from '../version.js';
import { createApi } from './api.js';
import { completion } from './completion.js';
import { login } from './login.js';
import { forceRelease, hold } from './operate.js';
import { isCommand, parseCommand, type Arguments, type CommandName } from './options.js';
import { print, say } from './print.js';
import { check, history, ls, show } from './reads.js';
import { run } from './run.js';
import { readSettings } from './settings.js';
import { exitCodes, help, UsageError } from './usage.js';
import { watch } from './watch.js';

async function main([word, ...rest]: readonly string[]): Promise<number> {
  if (word === undefined || word === '--help' || word === 'help') {
    print(help);
    return word === undefined ? exitCodes.usage : exitCodes.ok;
  }
  if (word === '--version') {
    print(`${version}\n`);
    return exitCodes.ok;
  }
  if (!isCommand(word)) throw new UsageError(`There is no command ${word}: see holdfast --help`);
  const given = parseCommand(word, rest);
  if (given.flag('help')) print(help);
  else if (given.flag('version')) print(`${version}\n`);
  else return dispatch(word, given);
  return exitCodes.ok;
}

async function dispatch(command: CommandName, given: Arguments): Promise<number> {
  if (command === 'completion') return completion(given);
  if (command !== 'run' && given.rest.length > 0) throw new UsageError('Nothing follows -- here');
  const settings = readSettings(given.text('url'));
  switch (command) {
    case 'run':
      return run(settings, given);
    case 'login':
      return login(settings, given);
    case 'ls':
      return ls(createApi(settings), given);
    case 'show':
      return show(createApi(settings), given);
    case 'history':
      return history(createApi(settings), given);
    case 'watch':
      return watch(createApi(settings), given);
    case 'check':
      return check(createApi(settings), given);
    case 'force-release':
      return forceRelease(createApi(settings), given);
    case 'hold':
      return hold(createApi(settings), given);
  }
}

const codes: Readonly<Record<string, number>> = {
  'bad-argument': exitCodes.usage,
  unavailable: exitCodes.unavailable,
  'not-acquired': exitCodes.notAcquired,
  lost: exitCodes.lost,
  'not-allowed': exitCodes.notAllowed,
  refused: exitCodes.no,
};

function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return exitCodes.usage;
  return (error instanceof HoldfastError ? codes[error.code] : undefined) ?? exitCodes.internal;
}

// Whoever reads the output may have enough of it.
process.stdout.on('error', () => process.exit(exitCodes.ok));

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = exitCodeOf(error);
}
