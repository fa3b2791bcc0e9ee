import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';

import { Cluster, Redis, type RedisOptions } from 'ioredis';

import type { RedisTarget } from './redis-url';

/** How long connecting may take, in milliseconds. */
const connectMsMax = 1_500;
/** A server that was silent for so long while it owes an answer is given up: the next connection may find another. */
const silentMsMax = 1_800;
const reconnectMsMax = 250;

/** @throws when a file can't be read. */
function tlsOf({ tls }: RedisTarget): ConnectionOptions | null {
  if (tls === null) return null;
  const read = (path: string | null) => (path === null ? undefined : readFileSync(path));
  const files = { ca: read(tls.ca), cert: read(tls.cert), key: read(tls.key) };
  return Object.fromEntries(Object.entries(files).filter(([, pem]) => pem !== undefined));
}

/** A client that connects, and connects again, by itself, and never sends a command twice: a release sent twice lies. */
export function openClient(target: RedisTarget): Redis | Cluster {
  const tls = tlsOf(target);
  const common = {
    ...(target.username === null ? {} : { username: target.username }),
    ...(target.password === null ? {} : { password: target.password }),
    ...(tls === null ? {} : { tls }),
    connectionName: 'holdfast',
    connectTimeout: connectMsMax,
    socketTimeout: silentMsMax,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    retryStrategy: (times: number) => Math.min(reconnectMsMax, 20 * times),
    // It was a primary when the connection was made: another is by now.
    reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
  } satisfies RedisOptions;
  switch (target.kind) {
    case 'single': {
      const [address] = target.hosts;
      return new Redis({ ...common, ...address, db: target.database });
    }
    case 'sentinel':
      return new Redis({
        ...common,
        db: target.database,
        sentinels: [...target.hosts],
        name: target.primary ?? '',
        ...(tls === null ? {} : { enableTLSForSentinelMode: true, sentinelTLS: tls }),
        ...(target.sentinelPassword === null ? {} : { sentinelPassword: target.sentinelPassword }),
        sentinelRetryStrategy: (times) => Math.min(reconnectMsMax, 20 * times),
        failoverDetector: true,
      });
    case 'cluster':
      return new Cluster([...target.hosts], {
        redisOptions: common,
        enableOfflineQueue: false,
        scaleReads: 'master',
        retryDelayOnFailover: 0,
        clusterRetryStrategy: (times) => Math.min(reconnectMsMax, 20 * times),
      });
  }
}
