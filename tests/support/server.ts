import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { accessEnvironment } from './callers';
import { deadline, poll } from './waiting';

/** A real server process, as an operator would start it, on a free port and a database file of its own. */

/** `npm start` is what that command runs in the end; `next start` is Next's own server. */
export type Door = 'npm start' | 'next start';
export const doors: readonly Door[] = ['npm start', 'next start'];

export interface ServerOptions {
  readonly door?: Door;
  /** Where the database is; in a new folder, which goes with the server, unless given. */
  readonly databaseFile?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

export interface TestServer {
  readonly door: Door;
  readonly databaseFile: string;
  /** Where it listens; another port after a restart. */
  readonly url: string;
  readonly pid: number;
  /** All that the process, and those before it, have printed. */
  log(): string;
  /** Sends a signal and resolves when the process has ended. */
  kill(signal: NodeJS.Signals): Promise<Exit>;
  /** Starts the process again on the same file; kills the one that runs, if any. */
  restart(): Promise<void>;
  /** Ends the process and removes the folder that was made for it. */
  stop(): Promise<void>;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const root = path.join(import.meta.dirname, '../..');
const readyMsMax = 60_000;
const exitMsMax = 30_000;

/** @throws with the log if the server does not become ready. */
export async function startServer(options: ServerOptions = {}): Promise<TestServer> {
  const door = options.door ?? 'npm start';
  const folder = options.databaseFile === undefined ? temporaryFolder() : null;
  const databaseFile = options.databaseFile ?? path.join(folder ?? '', 'holdfast.db');
  const environment = { DATABASE_URL: `file:${databaseFile}`, ...options.environment };
  let earlierLog = '';
  let running = startProcess(door, environment);
  const stop = async () => {
    await running.kill('SIGKILL');
    if (folder !== null) rmSync(folder, { recursive: true, force: true });
  };
  let url = await whenReady(running).catch(async (error: unknown) => {
    await stop();
    throw error;
  });

  return {
    door,
    databaseFile,
    get url() {
      return url;
    },
    get pid() {
      return running.pid;
    },
    log: () => earlierLog + running.log(),
    kill: (signal) => running.kill(signal),
    async restart() {
      await running.kill('SIGKILL');
      earlierLog += running.log();
      running = startProcess(door, environment);
      url = await whenReady(running);
    },
    stop,
  };
}

export function temporaryFolder(): string {
  return mkdtempSync(path.join(tmpdir(), 'holdfast-test-'));
}

export interface ServerProcess {
  readonly pid: number;
  /** Where it says that it listens; null before it says so. */
  url(): string | null;
  log(): string;
  /** Resolves when the process has ended by itself or by a signal. */
  readonly ended: Promise<Exit>;
  isRunning(): boolean;
  kill(signal: NodeJS.Signals): Promise<Exit>;
}

/** Starts a process of a door and waits for nothing. */
export function startProcess(
  door: Door,
  environment: Readonly<Record<string, string>>,
): ServerProcess {
  const child = spawn(process.execPath, argumentsOf(door), {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...inherited(),
      NODE_ENV: 'production',
      NEXT_TELEMETRY_DISABLED: '1',
      PORT: '0',
      ...accessEnvironment,
      ...environment,
    },
  });
  let log = '';
  child.stdout.on('data', (chunk: Buffer) => (log += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
  endWithThisProcess(child);

  const ended = new Promise<Exit>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  return {
    pid: child.pid ?? -1,
    url: () => /http:\/\/[\w.[\]:]+:\d+/.exec(log)?.[0] ?? null,
    log: () => log,
    ended,
    isRunning,
    kill(signal) {
      if (isRunning()) child.kill(signal);
      return deadline(ended, exitMsMax, () => `the server did not end after ${signal}:\n${log}`);
    },
  };
}

/** @returns the address, when `GET /api/health/ready` says that the store answers. */
export async function whenReady(server: ServerProcess): Promise<string> {
  return poll(
    async () => {
      if (!server.isRunning()) throw new Error(`The server ended early:\n${server.log()}`);
      const url = server.url();
      return url !== null && (await isReady(url)) ? url : null;
    },
    { withinMs: readyMsMax, describe: () => `the server is not ready:\n${server.log()}` },
  );
}

async function isReady(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/api/health/ready`);
    await answer.arrayBuffer();
    return answer.status === 200;
  } catch {
    return false;
  }
}

function argumentsOf(door: Door): string[] {
  switch (door) {
    case 'npm start':
      return ['--enable-source-maps', path.join(root, 'dist/server.mjs')];
    case 'next start':
      return [
        path.join(root, 'node_modules/next/dist/bin/next'),
        'start',
        '-H',
        '127.0.0.1',
        '-p',
        '0',
      ];
  }
}

/** What a process needs to run at all; a developer's own settings of Holdfast must not reach a test. */
function inherited(): Record<string, string> {
  const wanted = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'SystemRoot'];
  return Object.fromEntries(
    wanted.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

const children = new Set<ChildProcess>();
let isWatching = false;

/** A test run that is cut short must leave no server behind. */
function endWithThisProcess(child: ChildProcess): void {
  if (!isWatching) process.once('exit', endAll);
  isWatching = true;
  children.add(child);
  child.once('exit', () => children.delete(child));
}

function endAll(): void {
  for (const child of children) child.kill('SIGKILL');
}
