import path from 'node:path';

import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

import { createApi } from '../support/api';
import { rowsOf } from '../support/database';
import { createDatabase, query } from '../support/postgres-cluster';
import { createRandom } from '../support/random';
import { startServer, temporaryFolder, type TestServer } from '../support/server';
import { poll } from '../support/waiting';

const rounds = 8;
const leasesPerRound = 300;

interface Shared {
  readonly databaseFile?: string;
  readonly environment: Readonly<Record<string, string>>;
  rows(sql: string): Promise<readonly unknown[]> | readonly unknown[];
}

async function sharedDatabase(kind: string): Promise<Shared> {
  if (kind === 'SQLite') {
    const databaseFile = path.join(temporaryFolder(), 'holdfast.db');
    return { databaseFile, environment: {}, rows: (sql) => rowsOf(databaseFile, sql) };
  }
  const url = await createDatabase(inject('postgresUrl'));
  return { environment: { DATABASE_URL: url }, rows: (sql) => query(url, sql) };
}

describe.each(['SQLite', 'PostgreSQL'])('two instances on one %s', (kind) => {
  let shared: Shared;
  const servers: TestServer[] = [];
  beforeAll(async () => {
    shared = await sharedDatabase(kind);
    const { databaseFile, environment } = shared;
    const options = { environment, ...(databaseFile === undefined ? {} : { databaseFile }) };
    for (let count = 0; count < 2; count += 1) servers.push(await startServer(options));
  });
  afterAll(() => Promise.all(servers.map((server) => server.stop())));

  const valueOf = async (sql: string) => {
    const [row] = await shared.rows(sql);
    return Number(Object.values(row as object)[0]);
  };
  const noted = () => valueOf(`SELECT count(*) AS n FROM lock_events WHERE kind = 'expired'`);

  test(`note each end once, whichever is killed while it does, ${rounds} times`, async () => {
    const random = createRandom('ends noted');
    const holders = new Set<unknown>();
    for (let round = 0; round < rounds; round += 1) {
      const names = Array.from({ length: leasesPerRound }, (_, index) => `ends/${round}/${index}`);
      const [victim, other] = round % 2 === 0 ? servers : [...servers].reverse();
      if (victim === undefined || other === undefined) throw new Error('There is no instance');
      const api = createApi(other);
      await Promise.all(names.map((name) => api.grant(name, { ttlMs: 2_000 })));
      const before = round * leasesPerRound;
      const killAt = before + random.between(1, leasesPerRound - 1);
      await poll(async () => ((await noted()) >= killAt ? true : null), {
        withinMs: 60_000,
        everyMs: 2,
        describe: () => `the sweep stands still:\n${other.log()}`,
      });
      await victim.kill('SIGKILL');
      await poll(async () => ((await noted()) >= before + leasesPerRound ? true : null), {
        withinMs: 60_000,
        describe: () => `the sweep did not go on:\n${other.log()}`,
      });
      for (const row of await shared.rows('SELECT holder FROM background_turns')) {
        holders.add((row as { holder: unknown }).holder);
      }
      await victim.restart();
    }
    expect(holders.size).toBeGreaterThan(1);
    expect(await noted()).toBe(rounds * leasesPerRound);
    expect(
      await shared.rows(
        `SELECT fencing_token FROM lock_events WHERE kind = 'expired' GROUP BY fencing_token HAVING count(*) > 1`,
      ),
    ).toEqual([]);
    // Each lease that is over has its line, and no other has one.
    expect(
      await shared.rows(
        `SELECT l.resource FROM distributed_locks l LEFT JOIN lock_events e
           ON e.fencing_token = l.fencing_token AND e.kind = 'expired' AND e.at >= l.expires_at
         WHERE e.id IS NULL OR l.expiry_noted <> l.fencing_token`,
      ),
    ).toEqual([]);
  }, 300_000);

  test('call no lease expired that is renewed in time', async () => {
    const [server] = servers;
    if (server === undefined) throw new Error('There is no instance');
    const api = createApi(server);
    const lease = await api.grant('renewed', { ttlMs: 3_000 });
    const body = { owner: lease.owner, ttl_ms: 3_000 };
    const before = await noted();
    // Ends around it keep the sweepers busy while it comes close to its own again and again.
    for (let round = 0; round < 40; round += 1) {
      await api.grant(`around/${round}`, { ttlMs: 500 });
      expect((await api.call('renew', { resource: 'renewed', body })).status).toBe(200);
    }
    await poll(async () => ((await noted()) >= before + 40 ? true : null), {
      withinMs: 60_000,
      everyMs: 500,
      describe: () => 'the ends around were not noted',
    });
    const { events } = (await api.call('lockEvents', { resource: 'renewed' })).value();
    const isOver = events.filter(({ kind }) => kind === 'expired');
    for (const end of isOver) {
      expect(Date.parse(end.at)).toBeGreaterThanOrEqual(Date.parse(end.expires_at ?? ''));
    }
  });
});
