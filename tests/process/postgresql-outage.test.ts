import { setTimeout as delay } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { createApi, outcomeOf, type Answer, type Api } from '../support/api';
import { fresh } from '../support/both-doors';
import { query, startPostgres, type PostgresCluster } from '../support/postgres-cluster';
import { startProxy, type Proxy } from '../support/proxy';
import { startServer, type TestServer } from '../support/server';
import { poll } from '../support/waiting';

/** Two seconds are promised; what is asserted is that the wait ends by itself. */
const refusalMsMax = 6_000;
const outageMs = 3_500;
const healMsMax = 15_000;

interface Outage {
  readonly name: string;
  readonly begin: () => Promise<void> | void;
  readonly end: () => Promise<void> | void;
}

describe('a PostgreSQL that goes away', () => {
  let cluster: PostgresCluster;
  let proxy: Proxy;
  let server: TestServer;
  let api: Api;
  beforeAll(async () => {
    cluster = await startPostgres();
    const url = new URL(await cluster.createDatabase());
    proxy = await startProxy(Number(url.port));
    url.port = String(proxy.port);
    const environment = { DATABASE_URL: url.href, HOLDFAST_DATABASE_CONNECTIONS: '5' };
    server = await startServer({ environment });
    api = createApi(server);
  });
  afterAll(async () => {
    await server.stop();
    await proxy.close();
    await cluster.remove();
  });

  const readOnly = async (isOn: boolean) => {
    await query(cluster.url, `ALTER SYSTEM SET default_transaction_read_only = ${String(isOn)}`);
    await query(cluster.url, 'SELECT pg_reload_conf()');
  };
  const outages: readonly Outage[] = [
    { name: 'stopped', begin: () => cluster.end('fast'), end: () => cluster.start() },
    { name: 'without power', begin: () => cluster.end('immediate'), end: () => cluster.start() },
    {
      name: 'frozen',
      begin: () => cluster.signalAll('SIGSTOP'),
      end: () => cluster.signalAll('SIGCONT'),
    },
    { name: 'out of reach', begin: () => proxy.swallow(), end: () => proxy.pass() },
    { name: 'cut off', begin: () => proxy.refuse(), end: () => proxy.pass() },
    { name: 'read-only', begin: () => readOnly(true), end: () => readOnly(false) },
  ];

  test.each(outages)(
    'when it is $name, calls are refused in time, and served when it is back, without a restart',
    async ({ begin, end }) => {
      const known = await api.grant(fresh('known'), { ttlMs: 600_000 });
      await begin();
      try {
        await expectRefusals(known.resource);
      } finally {
        await end();
      }
      await expectService();
      const { lock } = (await api.call('inspect', { resource: known.resource })).value();
      expect(lock).toMatchObject({ fencing_token: known.fencing_token, state: 'active' });
      const renewal = { owner: 'owner', ttl_ms: 600_000 };
      const renewed = await api.call('renew', { resource: known.resource, body: renewal });
      expect(outcomeOf(renewed)).toBe('200');
    },
  );

  test('a crowd far larger than the pool is refused while it is frozen, and the pool recovers', async () => {
    cluster.signalAll('SIGSTOP');
    try {
      const crowd = Array.from({ length: 500 }, () => acquire(fresh()));
      for (const answer of await Promise.all(crowd)) expect(outcomeOf(answer)).toBe(refusal);
    } finally {
      cluster.signalAll('SIGCONT');
    }
    await expectService();
    const calls = Array.from({ length: 100 }, () => acquire(fresh()));
    for (const answer of await Promise.all(calls)) expect(outcomeOf(answer)).toBe('200');
  });

  const refusal = '503 store-unavailable';
  const acquire = (resource: string) =>
    api.call('acquire', { resource, body: { owner: 'owner', ttl_ms: 60_000 } });

  async function expectRefusals(resource: string): Promise<void> {
    const untilMs = performance.now() + outageMs;
    const renewal = { resource, body: { owner: 'owner', ttl_ms: 600_000 } };
    const callers = Array.from({ length: 12 }, async (_, caller) => {
      while (performance.now() < untilMs) {
        const answer =
          caller % 3 === 0
            ? await inTime(api.call('renew', renewal))
            : await inTime(acquire(fresh()));
        expect(outcomeOf(answer)).toBe(refusal);
        expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
        expect(outcomeOf(await inTime(api.call('live')))).toBe('200');
        await delay(20);
      }
    });
    await Promise.all(callers);
  }

  async function inTime<Body>(call: Promise<Answer<Body>>): Promise<Answer<Body>> {
    const startMs = performance.now();
    const answer = await call;
    expect(performance.now() - startMs).toBeLessThan(refusalMsMax);
    return answer;
  }

  /** Whoever was refused tries again, as any caller would. */
  async function expectService(): Promise<void> {
    await poll(async () => ((await acquire(fresh())).ok ? true : null), {
      withinMs: healMsMax,
      describe: () => `the service has not come back:\n${server.log().slice(-4_000)}`,
    });
    await poll(async () => ((await api.call('ready')).ok ? true : null), {
      withinMs: healMsMax,
      describe: () => 'the service is not ready again',
    });
  }
});
