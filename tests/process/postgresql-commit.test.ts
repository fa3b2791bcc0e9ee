import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { createApi, outcomeOf, type Api } from '../support/api';
import { fresh } from '../support/both-doors';
import { query, startPostgres, type PostgresCluster } from '../support/postgres-cluster';
import { startServer, type TestServer } from '../support/server';

const terminations = 200;

describe('a grant on PostgreSQL', () => {
  let cluster: PostgresCluster;
  let url: string;
  let server: TestServer;
  let api: Api;
  beforeAll(async () => {
    cluster = await startPostgres({ settings: { synchronous_commit: 'off' } });
    url = await cluster.createDatabase();
    server = await startServer({ environment: { DATABASE_URL: url } });
    api = createApi(server);
  });
  afterAll(async () => {
    await server.stop();
    await cluster.remove();
  });

  const acquire = (resource: string) =>
    api.call('acquire', { resource, body: { owner: 'owner', ttl_ms: 600_000 } });

  /** A trigger that runs at the commit itself, after every statement of the transaction has gone well. */
  async function atCommit(table: string, body: string): Promise<void> {
    await query(
      url,
      `CREATE OR REPLACE FUNCTION at_commit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body} RETURN NULL; END $$`,
    );
    await query(
      url,
      `CREATE CONSTRAINT TRIGGER at_commit AFTER INSERT OR UPDATE ON ${table}
       DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION at_commit()`,
    );
  }
  const withoutTrigger = (table: string) => query(url, `DROP TRIGGER at_commit ON ${table}`);

  test('is not answered when its commit fails', async () => {
    const resource = fresh();
    await atCommit('distributed_locks', `RAISE EXCEPTION 'not today' USING ERRCODE = '23514';`);
    expect(outcomeOf(await acquire(resource))).toBe('503 store-unavailable');
    await withoutTrigger('distributed_locks');
    expect(outcomeOf(await api.call('inspect', { resource }))).toBe('404 not-found');
    expect(outcomeOf(await acquire(resource))).toBe('200');
  });

  test('one bad call does not fail the others that share its transaction', async () => {
    const bad = fresh('bad');
    await atCommit(
      'distributed_locks',
      `IF NEW.resource = '${bad}' THEN RAISE EXCEPTION 'bad' USING ERRCODE = '23514'; END IF;`,
    );
    const names = [...Array.from({ length: 40 }, () => fresh()), bad];
    const answers = await Promise.all(names.map(acquire));
    await withoutTrigger('distributed_locks');
    const outcomes = answers.map(outcomeOf);
    expect(outcomes.slice(0, -1)).toEqual(names.slice(0, -1).map(() => '200'));
    expect(outcomes.at(-1)).toBe('503 store-unavailable');
  });

  test('is on disk before it is answered, though synchronous_commit is off on the server', async () => {
    await query(url, 'CREATE TABLE seen_at_commit (setting text)');
    await atCommit(
      'lock_events',
      `INSERT INTO seen_at_commit VALUES (current_setting('synchronous_commit'));`,
    );
    const resource = fresh();
    await acquire(resource);
    const body = { owner: 'owner', ttl_ms: 60_000 };
    await api.call('renew', { resource, body });
    await api.call('release', { resource, body: { owner: 'owner' } });
    await withoutTrigger('lock_events');
    const seen = await query(url, 'SELECT DISTINCT setting FROM seen_at_commit');
    expect(seen).toEqual([{ setting: 'on' }]);
  });

  test(`is in the table, or not answered, while sessions are terminated ${terminations} times`, async () => {
    let isOver = false;
    const granted: string[] = [];
    const outcomes = new Set<string>();
    const callers = Array.from({ length: 16 }, async () => {
      while (!isOver) {
        const resource = fresh('terminated');
        const answer = await acquire(resource);
        outcomes.add(outcomeOf(answer));
        if (answer.ok && answer.value().acquired) granted.push(resource);
      }
    });
    for (let round = 0; round < terminations; round += 1) {
      const before = granted.length;
      await query(
        url,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE application_name = 'holdfast' AND datname = current_database()
         ORDER BY state, random() LIMIT 2`,
      );
      // Work goes on between two of them.
      while (granted.length === before) await query(url, 'SELECT pg_sleep(0.001)');
    }
    isOver = true;
    await Promise.all(callers);
    const rows = await query(url, 'SELECT resource FROM distributed_locks');
    const kept = new Set(rows.map((row) => row['resource']));
    expect(granted.filter((resource) => !kept.has(resource))).toEqual([]);
    expect(
      [...outcomes].filter((told) => !['200', '503 store-unavailable'].includes(told)),
    ).toEqual([]);
    process.stdout.write(`terminated sessions: ${granted.length} grants were answered\n`);
  }, 180_000);
});
