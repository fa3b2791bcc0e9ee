import { constants } from 'node:os';
import path from 'node:path';

import { createClient } from '../node/client.js';
import { only, type Arguments } from './options.js';
import { startGroup, type Ending } from './group.js';
import { environment, type Settings } from './settings.js';
import { supervise } from './supervise.js';
import { say } from './print.js';
import { exitCodes, UsageError } from './usage.js';

const passedOn: readonly NodeJS.Signals[] = [
  'SIGINT',
  'SIGTERM',
  'SIGHUP',
  'SIGQUIT',
  'SIGUSR1',
  'SIGUSR2',
  'SIGCONT',
  'SIGWINCH',
];
const endings = new Set<NodeJS.Signals>(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']);

/** Runs a command under a lock. @returns the exit code. */
export async function run(settings: Settings, given: Arguments): Promise<number> {
  const [resource = ''] = only(given, ['NAME']);
  const [program] = given.rest;
  if (program === undefined) throw new UsageError('Give the command after --');
  const ttlMs = given.duration('ttl') ?? 30_000;
  const killAfterMs = Math.min(given.duration('kill-after') ?? 10_000, ttlMs / 3);

  // Until there is a command, a signal ends the waiting.
  let pass: (name: NodeJS.Signals) => void;
  const giveUp = new AbortController();
  const early: { name?: NodeJS.Signals } = {};
  pass = (name) => {
    if (!endings.has(name)) return;
    early.name ??= name;
    giveUp.abort(new Error(`Ended by ${name}`));
  };
  for (const name of passedOn) process.on(name, () => pass(name));

  const client = createClient(settings);
  let lease;
  try {
    lease = await client.acquire(resource, {
      ttlMs,
      waitMs: given.duration('wait') ?? 0,
      maxHoldMs: given.duration('max-hold'),
      job: given.text('job') ?? path.basename(program).slice(0, 200),
      link: given.text('link'),
      signal: giveUp.signal,
    });
  } catch (error) {
    if (early.name !== undefined) return signalCode(early.name);
    throw error;
  }
  const group = startGroup(given.rest, {
    ...environment(),
    HOLDFAST_RESOURCE: lease.resource,
    HOLDFAST_OWNER: lease.owner,
    HOLDFAST_FENCING_TOKEN: String(lease.fencingToken),
  });
  pass = (name) => group.signal(name);
  if (early.name !== undefined) pass(early.name);

  const { ending, cutShort, lost } = await supervise(group, lease, killAfterMs);
  const released = await lease.release();
  if (cutShort || released === 'lost') {
    const why = lease.lost ?? lost;
    say(why === undefined ? `The service did not renew the lease on ${resource}` : why.message);
    return exitCodes.lost;
  }
  if (ending.how === 'not-started') say(`${program} ${whyNotStarted(ending.code)}`);
  return codeOf(ending);
}

// As in shells: nothing is there to be run, by any path.
const missing = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE']);

function whyNotStarted(code: string): string {
  if (missing.has(code)) return 'was not found, or is a script whose interpreter was not found';
  return code === 'EACCES' ? 'may not be executed, or is a folder' : `can't be run: ${code}`;
}

function codeOf(ending: Ending): number {
  switch (ending.how) {
    case 'exit':
      return ending.code;
    case 'signal':
      return signalCode(ending.name);
    case 'not-started':
      return missing.has(ending.code) ? exitCodes.notFound : exitCodes.notExecutable;
  }
}

function signalCode(name: NodeJS.Signals): number {
  return 128 + constants.signals[name];
}
