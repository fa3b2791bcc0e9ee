// A Redis with an append-only file, as the Redis store wants it.
import { mkdirSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import path from 'node:path';

import { Redis } from 'ioredis';

import { freePort, startProcess } from './processes.mjs';

/** Its version, or null where it is not installed. */
export function redisVersion() {
  const found = spawnSync('redis-server', ['--version'], { encoding: 'utf8' });
  return /\bv=(\S+)/.exec(found.stdout ?? '')?.[1] ?? null;
}

/** @param appendfsync `always`: each answer is on disk; `everysec`, its default: the last second may be lost. */
export async function startRedis({ title, folder, appendfsync }) {
  const port = await freePort();
  const data = path.join(folder, 'redis');
  mkdirSync(data);
  const settings = { port, bind: '127.0.0.1', dir: data, save: '', appendonly: 'yes', appendfsync };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const client = new Redis({ port, retryStrategy: () => 50 });
  client.on('error', () => undefined);
  const isReady = async () => client.status === 'ready' && (await client.ping()) === 'PONG';
  const server = await startProcess({ title, command: 'redis-server', args, isReady });
  return {
    url: `redis://127.0.0.1:${port}`,
    pid: server.pid,
    countKeys: (prefix) => countKeys(client, prefix),
    stop: () => {
      client.disconnect();
      return server.stop();
    },
  };
}

async function countKeys(client, prefix) {
  let keys = 0;
  let cursor = '0';
  do {
    const [next, found] = await client.scan(cursor, 'MATCH', `${prefix}*`, 'COUNT', 1000);
    keys += found.length;
    cursor = next;
  } while (cursor !== '0');
  return keys;
}
