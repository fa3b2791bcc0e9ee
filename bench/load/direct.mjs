import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const program = path.join(import.meta.dirname, 'direct-load.mjs');

/**
 * Runs `direct-load.mjs`.
 *
 * @returns what a driver returns.
 */
export async function runDirect(kind, url, { prefix, connections, seconds }) {
  const args = [program, kind, url, prefix, String(connections), String(seconds)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const result = JSON.parse(stdout);
  return { ...result, callsPerSecond: result.calls / result.seconds };
}
