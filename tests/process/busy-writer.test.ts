import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { createApi, outcomeOf, type Api } from '../support/api';
import { fresh } from '../support/both-doors';
import { holdWriter } from '../support/database';
import { doors, startServer, type TestServer } from '../support/server';
import { poll } from '../support/waiting';

const heldMs = 6_000;

describe.each(doors)('another process holds the writer of the database, %s', (door) => {
  let server: TestServer;
  let api: Api;
  beforeAll(async () => {
    server = await startServer({ door });
    api = createApi(server);
  });
  afterAll(() => server.stop());

  test('the service stays awake, says so with 503, still reads, and needs no restart afterwards', async () => {
    const known = await api.grant('known');
    const writer = holdWriter(server.databaseFile);
    const endMs = performance.now() + heldMs;
    const refused: string[] = [];
    try {
      const callers = Array.from({ length: 8 }, async () => {
        while (performance.now() < endMs) {
          const resource = fresh();
          const body = { owner: 'owner', ttl_ms: 60_000 };
          const answer = await api.call('acquire', { resource, body });
          // The last one may have waited until the writer was free.
          refused.push(outcomeOf(answer));
        }
      });
      while (performance.now() < endMs) {
        const startMs = performance.now();
        expect(outcomeOf(await api.call('live'))).toBe('200');
        expect(performance.now() - startMs).toBeLessThan(1_000);
        const seen = await api.call('inspect', { resource: 'known' });
        expect(seen.value().lock.fencing_token).toBe(known.fencing_token);
        expect((await api.call('list', { query: { q: 'known' } })).value().locks).toHaveLength(1);
        const renewal = { owner: 'owner', ttl_ms: 60_000 };
        const renewed = await api.call('renew', { resource: 'known', body: renewal });
        expect(['200', '503 store-unavailable']).toContain(outcomeOf(renewed));
      }
      writer.release();
      await Promise.all(callers);
    } finally {
      writer.release();
    }
    expect(new Set(refused).has('503 store-unavailable')).toBe(true);
    expect([...new Set(refused)].filter((outcome) => !outcome.startsWith('503'))).toEqual(
      refused.includes('200') ? ['200'] : [],
    );

    const body = { owner: 'after', ttl_ms: 60_000 };
    const granted = await poll(
      async () => {
        const answer = await api.call('acquire', { resource: 'after', body });
        return answer.status === 503 ? null : answer.value();
      },
      { withinMs: 10_000, describe: () => `the store did not come back:\n${server.log()}` },
    );
    expect(granted.acquired).toBe(true);
    expect(outcomeOf(await api.call('ready'))).toBe('200');
  });

  test('a call that waits for a short while is served', async () => {
    const writer = holdWriter(server.databaseFile);
    const waiting = api.call('acquire', {
      resource: fresh(),
      body: { owner: 'owner', ttl_ms: 60_000 },
    });
    // Reads go past the writer, so this one is answered while the other waits.
    await api.call('inspect', { resource: 'known' });
    writer.release();
    expect(outcomeOf(await waiting)).toBe('200');
  });
});
