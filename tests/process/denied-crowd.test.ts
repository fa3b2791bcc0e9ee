import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

import { createApi, type Api } from '../support/api';
import { fresh } from '../support/both-doors';
import { createDatabase, query } from '../support/postgres-cluster';
import { startServer, type TestServer } from '../support/server';
import { poll } from '../support/waiting';

const denials = 5_000;
const atOnce = 100;

/** A crowd at one lock, for seconds on end: what it costs the database, and what is told of it. */
describe(`${denials} denied acquires of one resource on PostgreSQL`, () => {
  let url: string;
  let server: TestServer;
  let api: Api;
  beforeAll(async () => {
    url = await createDatabase(inject('postgresUrl'));
    server = await startServer({ environment: { DATABASE_URL: url } });
    api = createApi(server);
  });
  afterAll(() => server.stop());

  /** A transaction that writes takes a number, and one that only reads takes none. */
  const writes = async () => {
    const [row] = await query(url, 'SELECT pg_snapshot_xmax(pg_current_snapshot()) AS next');
    return Number(row?.['next']);
  };

  test('are written in a few groups, and the lock shows who asks', async () => {
    const resource = fresh('crowd');
    await api.grant(resource, { owner: 'holder', ttlMs: 3_600_000 });
    const before = await writes();
    let sent = 0;
    const callers = Array.from({ length: atOnce }, async (_, caller) => {
      while (sent < denials) {
        sent += 1;
        const body = { owner: `asker-${caller}`, ttl_ms: 60_000 };
        const { acquired } = (await api.call('acquire', { resource, body })).value();
        expect(acquired).toBe(false);
      }
    });
    await Promise.all(callers);
    const contention = await poll(
      async () => {
        const { lock } = (await api.call('inspect', { resource })).value();
        return lock.contention?.attempts === sent ? lock.contention : null;
      },
      { withinMs: 30_000, everyMs: 100, describe: () => 'the attempts are not all told' },
    );
    const written = (await writes()) - before;
    expect(contention.owners).toBe(atOnce);
    const { askers } = (await api.call('contention', { resource })).value();
    expect(askers).toHaveLength(20);
    // One for each call would be far more, however slow the machine is that this runs on.
    expect(written).toBeGreaterThan(0);
    expect(written).toBeLessThan(denials / 10);
    const { events } = (await api.call('lockEvents', { resource })).value();
    expect(events.length).toBeLessThan(denials / 100);
  }, 120_000);
});
