import { spawn, type ChildProcess } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

import { outcomeOf } from '../support/api';
import { fresh } from '../support/both-doors';
import { bearer, testKey } from '../support/callers';
import { dataOf, openReader } from '../support/event-reader';
import { startInstances, type Instances } from '../support/instances';
import { createDatabase, freePort, query, unprivileged } from '../support/postgres-cluster';
import { startServer } from '../support/server';
import { poll } from '../support/waiting';

const pgbouncer = '/usr/sbin/pgbouncer';
const sessionsOfPooler = 3;

/** PgBouncer in transaction mode: each statement may run in another session, and nothing may be left in one. */
describe('two instances behind a pooler in transaction mode', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'holdfast-pooler-'));
  let direct: string;
  let pooled: URL;
  let pooler: ChildProcess;
  let instances: Instances;
  let urls: readonly string[];

  beforeAll(async () => {
    if (!existsSync(pgbouncer)) {
      throw new Error(`This needs ${pgbouncer} (Debian: apt-get install pgbouncer)`);
    }
    direct = await createDatabase(inject('postgresUrl'));
    pooled = new URL(direct);
    pooled.port = String(await freePort());
    writeConfiguration();
    if (unprivileged.uid !== undefined) chownSync(folder, unprivileged.uid, unprivileged.gid);
    pooler = await startPooler();
    const options = { environment: { DATABASE_URL: pooled.href } };
    instances = await startInstances([options, options]);
    urls = instances.urls;
  });
  afterAll(async () => {
    await instances.stop();
    pooler.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  test('migrate through it and serve every verb, many calls at once', async () => {
    const names = Array.from({ length: 60 }, () => fresh('pooled'));
    const each = await Promise.all(
      names.map(async (resource, index) => {
        const [api, other] = [instances.api(index), instances.api(index + 1)];
        const lock = await api.grant(resource);
        const seen = { reason: 'for the test', fencing_token: lock.fencing_token };
        const own = { owner: 'owner', ttl_ms: 60_000 };
        const kept = { ...seen, hold_seconds: 60 };
        return [
          outcomeOf(await other.call('renew', { resource, body: own })),
          outcomeOf(await api.call('askRelease', { resource, body: seen })),
          outcomeOf(await other.call('list', { query: { prefix: resource } })),
          outcomeOf(await api.call('forceRelease', { resource, body: kept })),
          outcomeOf(await other.call('renew', { resource, body: own })),
          outcomeOf(await api.call('lockEvents', { resource })),
        ];
      }),
    );
    const expected = ['200', '202', '200', '200', '409 lock-lost', '200'];
    expect(each).toEqual(names.map(() => expected));
  });

  test('of 50 callers exactly one is granted, and no session keeps a lock or a setting', async () => {
    for (let round = 0; round < 10; round += 1) {
      const resource = fresh('race');
      const calls = Array.from({ length: 50 }, (_, caller) => {
        const body = { owner: `caller-${caller}`, ttl_ms: 60_000 };
        return instances.api(caller).call('acquire', { resource, body });
      });
      const answers = (await Promise.all(calls)).map((answer) => answer.value().acquired);
      expect(answers.filter(Boolean)).toHaveLength(1);
    }
    expect(await query(direct, `SELECT 1 FROM pg_locks WHERE locktype = 'advisory'`)).toEqual([]);
    for (let session = 0; session < 2 * sessionsOfPooler; session += 1) {
      const settings = await query(
        pooled.href,
        `SELECT current_setting('lock_timeout') AS lock, current_setting('statement_timeout') AS statement`,
      );
      expect(settings).toEqual([{ lock: '0', statement: '0' }]);
    }
  });

  test('tell events of each other all the same, and leave no session listening', async () => {
    const readers = await Promise.all(
      urls.map((url) => openReader(url, '/api/events/stream', bearer(testKey))),
    );
    for (const [index, api] of instances.all.entries()) {
      const resource = fresh('told');
      await api.grant(resource);
      await readers[1 - index]?.find((message) => dataOf(message).resource === resource);
    }
    for (const reader of readers) reader.close();
    for (let session = 0; session < 2 * sessionsOfPooler; session += 1) {
      const channels = await query(pooled.href, 'SELECT pg_listening_channels()');
      expect(channels).toEqual([]);
    }
  });

  test('hear of events at once where the server itself is named beside the pooler', async () => {
    const environment = { DATABASE_URL: pooled.href, DATABASE_DIRECT_URL: direct };
    const server = await startServer({ environment });
    const listening = `SELECT 1 FROM pg_stat_activity
      WHERE application_name = 'holdfast events' AND datname = current_database() AND query LIKE 'LISTEN%'`;
    await poll(async () => ((await query(direct, listening)).length > 0 ? true : null), {
      withinMs: 20_000,
      describe: () => 'nobody listens',
    });
    await server.stop();
  });

  test('go on by themselves when the pooler was killed and started again', async () => {
    pooler.kill('SIGKILL');
    const body = { owner: 'owner', ttl_ms: 60_000 };
    const refused = await instances.api(0).call('acquire', { resource: fresh(), body });
    expect(outcomeOf(refused)).toBe('503 store-unavailable');
    pooler = await startPooler();
    await poll(
      async () => {
        const answers = await Promise.all(
          instances.all.map((api) => api.call('acquire', { resource: fresh(), body })),
        );
        return answers.every(({ ok }) => ok) ? true : null;
      },
      { withinMs: 15_000, describe: () => 'an instance has not come back' },
    );
  });

  function writeConfiguration(): void {
    const { hostname, port, username } = new URL(direct);
    writeFileSync(path.join(folder, 'users'), `"${username}" ""\n`);
    writeFileSync(
      path.join(folder, 'pgbouncer.ini'),
      [
        '[databases]',
        `* = host=${hostname} port=${port}`,
        '[pgbouncer]',
        'listen_addr = 127.0.0.1',
        `listen_port = ${pooled.port}`,
        'unix_socket_dir =',
        'auth_type = trust',
        `auth_file = ${path.join(folder, 'users')}`,
        'pool_mode = transaction',
        `default_pool_size = ${sessionsOfPooler}`,
        '',
      ].join('\n'),
    );
  }

  /** PgBouncer refuses to run as root, as PostgreSQL does. */
  async function startPooler(): Promise<ChildProcess> {
    const child = spawn(pgbouncer, [path.join(folder, 'pgbouncer.ini')], {
      ...unprivileged,
      stdio: 'ignore',
    });
    await poll(() => isOpen(Number(pooled.port)), {
      withinMs: 20_000,
      describe: () => `the pooler does not listen (exit code ${String(child.exitCode)})`,
    });
    return child;
  }
});

function isOpen(port: number): Promise<true | null> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(null));
  });
}
