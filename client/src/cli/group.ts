import { spawn } from 'node:child_process';

import { sleep, systemClock } from '../clock.js';

/** A program in a process group of its own, with all that it starts. */
export interface Group {
  /** How it ended; an error if it could not be started. */
  readonly ended: Promise<Ending>;
  /** To every process of the group. */
  signal(name: NodeJS.Signals): void;
  /** Whether a process of the group is left: the program may have ended, and what it has started go on. */
  isAlive(): boolean;
}

export type Ending =
  | { readonly how: 'exit'; readonly code: number }
  | { readonly how: 'signal'; readonly name: NodeJS.Signals }
  | { readonly how: 'not-started'; readonly isMissing: boolean };

export function startGroup(
  [program = '', ...rest]: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Group {
  // Next's types want NODE_ENV in every environment.
  const child = spawn(program, rest, {
    stdio: 'inherit',
    detached: true,
    env: env as NodeJS.ProcessEnv,
  });
  const send = (signal: NodeJS.Signals | 0): boolean => {
    if (child.pid === undefined) return false;
    try {
      process.kill(-child.pid, signal);
      return true;
    } catch {
      return false;
    }
  };
  return {
    ended: new Promise((resolve) => {
      child.once('error', (error: NodeJS.ErrnoException) => {
        if (child.pid === undefined) {
          resolve({ how: 'not-started', isMissing: error.code === 'ENOENT' });
        }
      });
      child.once('exit', (code, name) => {
        resolve(name === null ? { how: 'exit', code: code ?? 0 } : { how: 'signal', name });
      });
    }),
    signal: (name) => void send(name),
    isAlive: () => send(0),
  };
}

/** Resolves when no process of the group is left, or after a while. */
export async function untilGone(group: Group, withinMs: number): Promise<boolean> {
  const startedMs = performance.now();
  while (group.isAlive()) {
    if (performance.now() - startedMs >= withinMs) return false;
    await sleep(systemClock, 20);
  }
  return true;
}
