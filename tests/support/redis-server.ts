import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { Redis, type RedisOptions } from 'ioredis';

import { freePort } from './postgres-cluster';
import { deadline, poll } from './waiting';

/** A real Redis of the test's own, on a free port, with its files in a folder of its own. */
export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** A connection of the test's own, as any application may have one. */
  readonly client: Redis;
  /** Ends the process at once, as a crash does. */
  kill(): Promise<void>;
  /** Starts it again on the same port and files. */
  start(): Promise<void>;
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
  /** Ends it and removes its files. */
  remove(): Promise<void>;
}

/** Lines of `redis.conf`, by name. */
export type RedisSettings = Readonly<Record<string, string>>;

export const redisServerBinary = '/usr/bin/redis-server';
const startMsMax = 20_000;

/** A replica is served at once, and not when others may have come. */
const prompt = { 'repl-diskless-sync-delay': '0' };
/** Nothing is on disk: a restart forgets everything. */
export const inMemory: RedisSettings = { ...prompt, save: '', appendonly: 'no' };
/** Each answer is on disk: a restart forgets nothing. */
export const durable: RedisSettings = {
  ...prompt,
  save: '',
  appendonly: 'yes',
  appendfsync: 'always',
};

interface RedisExtras {
  /** How a test's own connection is made, where a port of this machine is not all. */
  readonly connect?: Pick<RedisOptions, 'password' | 'tls'>;
  /** A server that watches others in place of keeping data. */
  readonly isSentinel?: boolean;
}

export async function startRedis(
  settings: RedisSettings = inMemory,
  { connect = {}, isSentinel = false }: RedisExtras = {},
): Promise<RedisServer> {
  if (!existsSync(redisServerBinary)) {
    throw new Error(`This needs ${redisServerBinary} (Debian: apt-get install redis-server)`);
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'holdfast-redis-'));
  const port = await freePort();
  const portName = connect.tls === undefined ? 'port' : 'tls-port';
  const lines = {
    port: '0',
    [portName]: String(port),
    bind: '127.0.0.1',
    dir: folder,
    ...settings,
  };
  // A file, since sentinels have it rewritten: who was a primary comes back as a replica.
  const file = path.join(folder, 'redis.conf');
  const text = Object.entries(lines).map(
    ([name, value]) => `${name} ${value === '' ? '""' : value}`,
  );
  writeFileSync(file, `${text.join('\n')}\n`);
  const args = isSentinel ? [file, '--sentinel'] : [file];
  let child: ChildProcess | null = null;
  const client = new Redis({ port, host: '127.0.0.1', retryStrategy: () => 50, ...connect });
  client.on('error', () => undefined);

  const start = async () => {
    child = spawn(redisServerBinary, args, { stdio: 'ignore' });
    endWithThisProcess(child);
    await poll(
      () =>
        client.ping().then(
          () => true,
          () => null,
        ),
      {
        withinMs: startMsMax,
        describe: () => 'redis-server does not answer',
      },
    );
  };
  const kill = async () => {
    const running = child;
    child = null;
    if (running === null) return;
    const ended = new Promise<void>((resolve) => running.once('close', () => resolve()));
    running.kill('SIGKILL');
    await deadline(ended, startMsMax, () => 'redis-server has not ended');
  };
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    client,
    kill,
    start,
    signal(signal) {
      child?.kill(signal);
    },
    async remove() {
      client.disconnect();
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const children = new Set<ChildProcess>();
let isWatching = false;

/** A test run that is cut short must leave no server behind. */
function endWithThisProcess(child: ChildProcess): void {
  if (!isWatching) {
    process.once('exit', () => {
      for (const running of children) running.kill('SIGKILL');
    });
  }
  isWatching = true;
  children.add(child);
  child.once('exit', () => children.delete(child));
}
