import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { createApi, type Api } from '../support/api';
import { fresh, grantShort, untilExpired } from '../support/both-doors';
import { rowsOf } from '../support/database';
import { startServer, type TestServer } from '../support/server';

const rounds = 200;
const callersPerRound = 50;
/** Rounds at the same time: they share the waiting for an expiry. */
const abreast = 4;

describe('two server processes on one database', () => {
  let servers: TestServer[] = [];
  let api: Api;
  let otherApi: Api;

  beforeAll(async () => {
    const first = await startServer();
    servers = [first];
    const second = await startServer({ databaseFile: first.databaseFile });
    servers.push(second);
    api = createApi(first);
    otherApi = createApi(second);
  });
  afterAll(async () => {
    for (const server of servers.reverse()) await server.stop();
  });

  /** All callers at once, half of them by each process. */
  async function race(resource: string): Promise<number[]> {
    const calls = Array.from({ length: callersPerRound }, (_, caller) => {
      const body = { owner: `${resource}-${caller}`, ttl_ms: 60_000 };
      return (caller % 2 === 0 ? api : otherApi).call('acquire', { resource, body });
    });
    const answers = (await Promise.all(calls)).map((answer) => answer.value());
    return answers.flatMap((answer) => (answer.acquired ? [answer.lock.fencing_token] : []));
  }

  async function allRounds(prepare: (resource: string) => Promise<void>): Promise<void> {
    for (let round = 0; round < rounds; round += abreast) {
      const resources = Array.from({ length: abreast }, () => fresh('race'));
      await Promise.all(resources.map(prepare));
      const winners = await Promise.all(resources.map(race));
      expect(winners.map((tokens) => tokens.length)).toEqual(resources.map(() => 1));
      for (const [index, resource] of resources.entries()) {
        const { lock } = (await api.call('inspect', { resource })).value();
        expect([lock.fencing_token]).toEqual(winners[index]);
      }
    }
  }

  test(`of ${callersPerRound} callers of a free lock exactly one is granted, ${rounds} times over`, async () => {
    await allRounds(() => Promise.resolve());
  }, 300_000);

  test(`of ${callersPerRound} callers of a lock that just expired exactly one is granted, ${rounds} times over`, async () => {
    await allRounds(async (resource) => {
      await grantShort(api, resource, 'first', 100);
      await untilExpired(api, resource);
    });
  }, 300_000);

  test('callers that hammer a lock across its expiry never get it together', async () => {
    for (let round = 0; round < 20; round += 1) {
      const resource = fresh('edge');
      const first = await grantShort(api, resource, 'first', 100);
      const callers = Array.from({ length: 8 }, async (_, caller) => {
        const body = { owner: `caller-${caller}`, ttl_ms: 60_000 };
        for (;;) {
          const from = caller % 2 === 0 ? api : otherApi;
          const answer = (await from.call('acquire', { resource, body })).value();
          if (answer.acquired) return answer.lock;
          if (answer.holder.fencing_token !== first.fencing_token) return null;
        }
      });
      const granted = (await Promise.all(callers)).filter((lock) => lock !== null);
      expect(granted).toHaveLength(1);
      const [lock] = granted;
      expect(Date.parse(lock?.acquired_at ?? '')).toBeGreaterThanOrEqual(
        Date.parse(first.expires_at),
      );
    }
  }, 120_000);

  test('tokens have risen over both processes, and each was given once', () => {
    const grants = rowsOf(
      servers[0]?.databaseFile ?? '',
      `SELECT fencing_token AS token, at FROM lock_events
       WHERE kind IN ('acquired', 'claimed', 'reacquired') ORDER BY id`,
    ) as { token: number; at: number }[];
    const tokens = grants.map((grant) => grant.token);
    expect(tokens.length).toBeGreaterThan(3 * rounds);
    expect(new Set(tokens).size).toBe(tokens.length);
    expect(tokens).toEqual([...tokens].sort((one, other) => one - other));
  });
});
