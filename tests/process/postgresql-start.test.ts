import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';

import pg from 'pg';

import { createApi } from '../support/api';
import { fresh } from '../support/both-doors';
import {
  createDatabase,
  query,
  startPostgres,
  type PostgresCluster,
} from '../support/postgres-cluster';
import { startProcess, whenReady, type ServerProcess } from '../support/server';
import { deadline, poll } from '../support/waiting';

/** The first of the numbers that all advisory locks of the service have. */
const migrationLock = 1_215_261_796;

const started: ServerProcess[] = [];
afterEach(async () => {
  for (const server of started.splice(0)) await server.kill('SIGKILL');
});

function start(url: string, environment: Readonly<Record<string, string>> = {}): ServerProcess {
  const server = startProcess('npm start', { DATABASE_URL: url, ...environment });
  started.push(server);
  return server;
}

const newDatabase = () => createDatabase(inject('postgresUrl'));

async function expectToServe(server: ServerProcess): Promise<void> {
  const api = createApi({ url: await whenReady(server) });
  await api.grant(fresh());
}

describe('the start on PostgreSQL', () => {
  test('four instances that start at once on an empty database all come up, and migrate it once', async () => {
    const url = await newDatabase();
    const servers = Array.from({ length: 4 }, () => start(url));
    await Promise.all(servers.map(expectToServe));
    const applied = await query(url, 'SELECT migration_name FROM _prisma_migrations');
    const names = applied.map((row) => row['migration_name']);
    expect(new Set(names).size).toBe(names.length);
  });

  test('an instance that is killed in the middle of a migration leaves nothing that keeps others from starting', async () => {
    const url = await newDatabase();
    const blocker = new pg.Client({ connectionString: url });
    await blocker.connect();
    await blocker.query('SELECT pg_advisory_lock($1::bigint)', [migrationLock]);
    const killed = start(url);
    await poll(async () => ((await sessionsWaiting(url)) === 1 ? true : null), {
      withinMs: 20_000,
      describe: () => `no instance waits to migrate:\n${killed.log()}`,
    });
    await killed.kill('SIGKILL');
    await blocker.end();
    await Promise.all([start(url), start(url)].map(expectToServe));
  });

  test('an instance waits for another that migrates for longer than any call may take', async () => {
    const url = await newDatabase();
    const blocker = new pg.Client({ connectionString: url });
    await blocker.connect();
    await blocker.query('SELECT pg_advisory_lock($1::bigint)', [migrationLock]);
    const server = start(url, { HOLDFAST_DATABASE_STATEMENT_TIMEOUT_MS: '100' });
    const waiting = () => sessionsWaiting(url);
    await poll(async () => ((await waiting()) === 1 ? true : null), {
      withinMs: 20_000,
      describe: () => `no instance waits to migrate:\n${server.log()}`,
    });
    await query(url, 'SELECT pg_sleep(1)');
    expect(server.isRunning()).toBe(true);
    await blocker.end();
    await expectToServe(server);
  });

  test('a role that may not change tables is enough once they are there', async () => {
    const url = await newDatabase();
    await expectToServe(start(url));
    const role = `holdfast_${Date.now()}`;
    await query(url, `CREATE ROLE ${role} LOGIN`);
    await query(url, 'REVOKE CREATE ON SCHEMA public FROM PUBLIC');
    await query(
      url,
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`,
    );
    await query(url, `GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO ${role}`);
    const asRole = new URL(url);
    asRole.username = role;
    await expectToServe(start(asRole.href));
  });

  test.each([
    [
      'another isolation level',
      `ALTER DATABASE $db SET default_transaction_isolation = 'repeatable read'`,
      'read committed',
    ],
    [
      'a read-only database',
      `ALTER DATABASE $db SET default_transaction_read_only = on`,
      'read-only',
    ],
  ])('%s is refused, with what to do', async (_, sql, told) => {
    const url = await newDatabase();
    await query(url, sql.replace('$db', new URL(url).pathname.slice(1)));
    await expectRefusal(start(url), told);
  });

  test('a database in another encoding is refused', async () => {
    const admin = inject('postgresUrl');
    const name = `holdfast_${Date.now()}_ascii`;
    await query(
      admin,
      `CREATE DATABASE ${name} ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0`,
    );
    const url = new URL(admin);
    url.pathname = `/${name}`;
    await expectRefusal(start(url.href), 'UTF8');
  });

  test('a migration that this version does not know, or knows with another text, is refused', async () => {
    const url = await newDatabase();
    await expectToServe(start(url));
    await query(url, `UPDATE _prisma_migrations SET checksum = 'other'`);
    await expectRefusal(start(url), 'differs');
    await query(url, `UPDATE _prisma_migrations SET migration_name = '29991231000000_later'`);
    await expectRefusal(start(url), '29991231000000_later');
  });

  test('a password is never told, whatever is wrong', async () => {
    const admin = new URL(inject('postgresUrl'));
    const wrong = [
      `postgresql://holdfast:s3cret-word@${admin.host}/no_such_database`,
      `postgresql://holdfast:s3cret-word@${admin.host}/postgres?connection_limit=3`,
      `postgresql://nobody:s3cret-word@${admin.host}/postgres`,
      `postgresql:/holdfast:s3cret-word@${admin.host}/postgres`,
    ];
    for (const url of wrong) {
      const server = start(url);
      await expectRefusal(server, 'DATABASE_URL');
      expect(server.log()).not.toContain('s3cret-word');
    }
  });
});

describe('a server that is not up yet', () => {
  let cluster: PostgresCluster;
  beforeAll(async () => {
    cluster = await startPostgres();
  });
  afterAll(() => cluster.remove());

  test('is waited for', async () => {
    const url = await cluster.createDatabase();
    await cluster.end('fast');
    const server = start(url);
    await cluster.start();
    await expectToServe(server);
  });

  test('synchronous_commit and fsync that are off are warned of', async () => {
    await query(cluster.url, 'ALTER SYSTEM SET synchronous_commit = off');
    await query(cluster.url, 'ALTER SYSTEM SET fsync = off');
    await query(cluster.url, 'SELECT pg_reload_conf()');
    const server = start(await cluster.createDatabase());
    await expectToServe(server);
    expect(server.log()).toContain('synchronous_commit is off');
    expect(server.log()).toContain('fsync or full_page_writes is off');
  });
});

async function sessionsWaiting(url: string): Promise<number> {
  const rows = await query(
    url,
    `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  return rows.length;
}

async function expectRefusal(server: ServerProcess, told: string): Promise<void> {
  const exit = await deadline(server.ended, 60_000, () => `it goes on:\n${server.log()}`);
  expect(exit.code).toBe(1);
  expect(server.log()).toContain(told);
  expect(server.log()).not.toMatch(/^\s+at /m);
}
