import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

import { createApi } from '../support/api';
import { everywhere, redisEnvironment } from '../support/both-doors';
import { createDatabase } from '../support/postgres-cluster';
import { inMemory, startRedis, type RedisServer } from '../support/redis-server';
import { startServer, type TestServer } from '../support/server';

const versions = {
  sqlite: /^SQLite 3\.\d+\.\d+$/,
  postgresql: /^PostgreSQL \d+/,
  redis: /^(Redis|Valkey) \d+\.\d+\.\d+$/,
};

everywhere('the status', (api) => {
  test('names the service, the store and the database with their versions, and how long a read takes', async () => {
    const status = (await api.call('status')).value();
    expect(status.version).toMatch(/^\d+\.\d+\.\d+/);
    expect(status.latency_ms).toBeGreaterThan(0);
    expect(status.store.version).toMatch(versions[status.store.kind]);
    expect(status.database.version).toMatch(versions[status.database.kind]);
    const isApart = status.store.kind === 'redis';
    if (isApart) expect(status.database).toMatchObject({ kind: 'sqlite', warnings: [] });
    else expect(status.database).toEqual(status.store);
  });
});

describe('the status of a Redis beside PostgreSQL', () => {
  let redis: RedisServer;
  let server: TestServer;
  beforeAll(async () => {
    redis = await startRedis(inMemory);
    const DATABASE_URL = await createDatabase(inject('postgresUrl'));
    server = await startServer({ environment: { ...redisEnvironment(redis.url), DATABASE_URL } });
  });
  afterAll(async () => {
    await server.stop();
    await redis.remove();
  });

  const read = async () => (await createApi(server).call('status')).value();

  test('says what weakens the promises, as it is when it is asked for', async () => {
    const before = await read();
    expect(before.database.kind).toBe('postgresql');
    expect(before.store.warnings).toEqual([expect.stringContaining('no append-only file')]);
    await redis.client.config('SET', 'maxmemory-policy', 'allkeys-lru');
    await redis.client.config('SET', 'appendonly', 'yes');
    expect((await read()).store.warnings).toEqual([
      expect.stringContaining('maxmemory-policy is allkeys-lru'),
      expect.stringContaining('appendfsync is everysec'),
    ]);
  });

  test('is answered also while Redis is gone, and says so', async () => {
    await redis.kill();
    const status = await read();
    expect(status.latency_ms).toBeNull();
    expect(status.store.version).toMatch(versions.redis);
    expect(status.store.warnings).toEqual([expect.stringContaining('Redis does not answer')]);
    await redis.start();
  });
});
