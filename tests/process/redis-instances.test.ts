import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { createApi, type BodyOf } from '../support/api';
import { fresh, redisEnvironment } from '../support/both-doors';
import { startInstances, type Instances } from '../support/instances';
import { expectLeasesApart } from '../support/lease-check';
import { createLoad, type Load } from '../support/load';
import { createRandom } from '../support/random';
import { durable, inMemory, startRedis, type RedisServer } from '../support/redis-server';
import { startProcess, startServer, temporaryFolder } from '../support/server';
import { poll } from '../support/waiting';

const clients = 8;
const operationsWanted = 20_000;

describe('three instances on one Redis', () => {
  let redis: RedisServer;
  let instances: Instances;
  beforeAll(async () => {
    redis = await startRedis(durable);
    const environment = redisEnvironment(redis.url);
    const databaseFile = `${temporaryFolder()}/holdfast.db`;
    instances = await startInstances([1, 2, 3].map(() => ({ databaseFile, environment })));
  });
  afterAll(async () => {
    await instances.stop();
    await redis.remove();
  });

  test(`${operationsWanted} calls of all kinds, with scripts forgotten and Redis killed, break no promise`, async () => {
    const load = createLoad(instances, createRandom('three instances on Redis'));
    const running = Array.from({ length: clients }, async () => {
      while (load.operations < operationsWanted) await load.useOneLock();
    });
    const nemesis = (async () => {
      for (const share of [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]) {
        await poll(() => (load.operations >= share * operationsWanted ? true : null), {
          withinMs: 280_000,
          everyMs: 5,
          describe: () => 'the load stands still',
        });
        if (share === 0.3 || share === 0.6) {
          await redis.kill();
          await redis.start();
        } else {
          await redis.client.script('FLUSH');
        }
      }
    })();
    await Promise.all([...running, nemesis]);

    expectLeasesApart(load.taken);
    await expectHistory(load);
    await expectExpiries(redis);
    process.stdout.write(
      `three instances on Redis: ${load.operations} calls, ${load.taken.length} grants, ${load.unknown} without an answer\n`,
    );
  }, 300_000);

  /** The account of the database: each answered grant is in it once, and its tokens rise. */
  async function expectHistory(load: Load): Promise<void> {
    const onRecord: string[] = [];
    for (const resource of load.names) {
      const tokens: number[] = [];
      let cursor: string | null = null;
      do {
        const query: Record<string, string | number> =
          cursor === null ? { limit: 500 } : { limit: 500, cursor };
        const answer = await instances.api(0).call('lockEvents', { resource, query });
        const page: BodyOf<'lockEvents'> = answer.value();
        for (const event of page.events) {
          if (['acquired', 'claimed', 'reacquired'].includes(event.kind)) {
            tokens.push(event.fencing_token ?? 0);
          }
        }
        cursor = page.next_cursor;
      } while (cursor !== null);
      expect(tokens).toEqual([...new Set(tokens)].sort((one, other) => other - one));
      onRecord.push(...tokens.map((token) => `${resource} ${token}`));
    }
    const known = new Set(onRecord);
    const missing = load.taken.filter(({ resource, token }) => !known.has(`${resource} ${token}`));
    expect(missing).toEqual([]);
  }
});

/** No lock key is without an expiry, whenever whoever was killed. */
async function expectExpiries({ client }: RedisServer): Promise<void> {
  const keys = (await client.keys('*')).filter((key) => key.includes(':lock:'));
  for (const key of keys) expect(await client.pttl(key), key).toBeGreaterThan(0);
}

test('a Redis that is restarted empty, again and again, gives only larger tokens', async () => {
  const redis = await startRedis(inMemory);
  const server = await startServer({ environment: redisEnvironment(redis.url) });
  try {
    const api = createApi(server);
    let last = 0;
    for (let life = 0; life < 8; life += 1) {
      const tokens = await poll(
        async () => {
          const body = { owner: 'owner', ttl_ms: 60_000 };
          const calls = Array.from({ length: 20 }, () =>
            api.call('acquire', { resource: fresh(), body }),
          );
          const answers = await Promise.all(calls);
          const granted = answers.flatMap((answer) => {
            const told = answer.ok ? answer.value() : null;
            return told?.acquired === true ? [told.lock.fencing_token] : [];
          });
          return granted.length === 0 ? null : granted;
        },
        { withinMs: 30_000, describe: () => `nothing is granted:\n${server.log()}` },
      );
      expect(Math.min(...tokens)).toBeGreaterThan(last);
      last = Math.max(...tokens);
      await redis.kill();
      await redis.start();
    }
  } finally {
    await server.stop();
    await redis.remove();
  }
}, 180_000);

test('while Redis is frozen or gone calls are refused, and served when it is back, without a restart', async () => {
  const redis = await startRedis(durable);
  const server = await startServer({ environment: redisEnvironment(redis.url) });
  const api = createApi(server);
  const signalled = (signal: 'SIGSTOP' | 'SIGCONT') => () => {
    redis.signal(signal);
    return Promise.resolve();
  };
  const outages = [
    { begin: signalled('SIGSTOP'), end: signalled('SIGCONT') },
    { begin: () => redis.kill(), end: () => redis.start() },
  ];
  try {
    for (const { begin, end } of outages) {
      const known = await api.grant(fresh(), { ttlMs: 600_000 });
      await begin();
      const refused = await api.call('acquire', {
        resource: fresh(),
        body: { owner: 'owner', ttl_ms: 60_000 },
      });
      expect(refused.status).toBe(503);
      await end();
      const lock = await poll(
        async () => {
          const answer = await api.call('inspect', { resource: known.resource });
          return answer.status === 503 ? null : answer.value().lock;
        },
        { withinMs: 20_000, describe: () => 'the service does not come back' },
      );
      expect(lock.fencing_token).toBe(known.fencing_token);
    }
  } finally {
    await server.stop();
    await redis.remove();
  }
}, 120_000);

test.each([
  ['redis://:hidden@host:port', /LOCK_STORE_URL must be redis:/],
  ['redis+sentinel://:hidden@one:26379', /LOCK_STORE_URL must name the primary/],
])(
  'LOCK_STORE_URL=%s stops the start with a sentence that does not repeat it',
  async (url, words) => {
    const databaseFile = `file:${temporaryFolder()}/holdfast.db`;
    const server = startProcess('npm start', { DATABASE_URL: databaseFile, LOCK_STORE_URL: url });
    const { code } = await server.ended;
    expect(code).not.toBe(0);
    expect(server.log()).toMatch(words);
    expect(server.log()).not.toContain('hidden');
  },
);

test('a Redis that may evict locks stops the start, and the sentence says what to set', async () => {
  const redis = await startRedis({ ...inMemory, 'maxmemory-policy': 'volatile-lru' });
  try {
    const environment = { DATABASE_URL: `file:${temporaryFolder()}/holdfast.db` };
    const server = startProcess('npm start', { ...environment, ...redisEnvironment(redis.url) });
    const { code } = await server.ended;
    expect(code).not.toBe(0);
    expect(server.log()).toMatch(/LOCK_STORE_URL .*maxmemory-policy is volatile-lru.*noeviction/);
  } finally {
    await redis.remove();
  }
});
