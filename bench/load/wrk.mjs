// wrk with one of the Lua scripts beside this file: a closed loop, one call at a time on each connection.
import { execFile, spawnSync } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

/** Its version, or null where it is not installed. */
export function wrkVersion() {
  const found = spawnSync('wrk', ['--version'], { encoding: 'utf8' });
  if (found.error !== undefined) return null;
  return /\d+\.\d+\.\d+/.exec(found.stdout)?.[0] ?? '';
}

/**
 * @param args what the script is given.
 * @returns calls, seconds, p50Ms, p99Ms, refused (no 2xx), broken (no answer).
 */
export async function runWrk({ url, script, args, connections, seconds }) {
  const { stdout } = await promisify(execFile)('wrk', [
    '--threads',
    '1',
    '--connections',
    String(connections),
    '--duration',
    `${seconds}s`,
    '--timeout',
    '10s',
    '--script',
    path.join(import.meta.dirname, script),
    url,
    '--',
    ...args,
  ]);
  const result = /^RESULT (.*)$/m.exec(stdout)?.[1];
  if (result === undefined) throw new Error(`wrk did not report:\n${stdout}`);
  return JSON.parse(result);
}
