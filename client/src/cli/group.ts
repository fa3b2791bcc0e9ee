import { spawn, type ChildProcess } from 'node:child_process';

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
  | { readonly how: 'not-started'; readonly code: string };

export function startGroup(
  [program = '', ...rest]: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Group {
  let child: ChildProcess;
  try {
    // Next's types want NODE_ENV in every environment.
    const options = { stdio: 'inherit', detached: true, env: env as NodeJS.ProcessEnv } as const;
    child = spawn(program, rest, options);
  } catch (error) {
    // Some failures are events, such as a missing file; others are thrown, such as an empty or an overlong name.
    return neverStarted(error);
  }
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
      child.once('error', (error) => {
        if (child.pid === undefined) resolve(notStarted(error));
      });
      child.once('exit', (code, name) => {
        resolve(name === null ? { how: 'exit', code: code ?? 0 } : { how: 'signal', name });
      });
    }),
    signal: (name) => void send(name),
    isAlive: () => send(0),
  };
}

function neverStarted(error: unknown): Group {
  const ended = Promise.resolve(notStarted(error));
  return { ended, signal: () => undefined, isAlive: () => false };
}

function notStarted(error: unknown): Ending {
  const { code } = error as { readonly code?: unknown };
  return { how: 'not-started', code: typeof code === 'string' ? code : String(error) };
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
