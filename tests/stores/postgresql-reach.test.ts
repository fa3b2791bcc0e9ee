import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

import { migrations } from '@/generated/migrations-postgresql';

import { createDatabase, query } from '../support/postgres-cluster';

const locks = 3000;
/** A verb on one lock reads its row and a few entries of indexes; a walk over what there is reads thousands. */
const readsMax = 100;

/**
 * One session, as a server has it that was started on an empty database: its plans are made by the first calls, and
 * nobody analyses the tables while locks come.
 */
describe('a session that has planned while the tables were empty', () => {
  let session: pg.Client;
  const call = async (verb: string, ...fields: readonly unknown[]) => {
    const values = [...fields, 1000];
    const places = values.map((_, index) => `$${index + 1}`).join(', ');
    const { rows } = await session.query<{ answer: unknown }>({
      name: verb,
      text: `SELECT holdfast_${verb}(${places}) AS answer`,
      values,
    });
    return JSON.stringify(rows[0]?.answer);
  };
  const verbs = {
    acquire: (name: string) => call('acquire', [name], ['o'], ['c'], [3_600_000], [null], ['r']),
    renew: (name: string) => call('renew', [name], ['o'], ['c'], [3_600_000], [null], ['r']),
    denied: (name: string) => call('acquire', [name], ['p'], ['c'], [3_600_000], [null], ['r']),
    release: (name: string) => call('release', [name], ['o'], ['c'], [null], ['r']),
    note_ends: (name: string) => call('note_ends', 'a sweeper', 60_000, [name], [1]),
  } as const;

  beforeAll(async () => {
    const url = await createDatabase(inject('postgresUrl'));
    for (const { sql } of migrations) await query(url, sql);
    for (const table of ['distributed_locks', 'lock_events']) {
      await query(url, `ALTER TABLE ${table} SET (autovacuum_enabled = off)`);
    }
    session = new pg.Client({ connectionString: url });
    await session.connect();
    for (const verb of Object.values(verbs)) await verb('first');
    const each = <T>(of: (index: number) => T) => Array.from({ length: locks }, (_, at) => of(at));
    const names = each((at) => `job:${at}`);
    const [owner, client, ttl, none] = ['o', 'c', 3_600_000, null].map((value) =>
      each(() => value),
    );
    await call('acquire', names, owner, client, ttl, none, none);
  }, 60_000);

  afterAll(() => session.end());

  async function entriesRead(): Promise<number> {
    await session.query('SELECT pg_stat_force_next_flush()');
    const { rows } = await session.query<{ read: string }>(`SELECT
      (SELECT sum(seq_tup_read + idx_tup_fetch) FROM pg_stat_user_tables)
      + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes) AS read`);
    return Number(rows[0]?.read);
  }

  test.each([
    ['acquire', 'job:new', '1'],
    ['renew', 'job:7', '"renewed"'],
    ['denied', 'job:7', '0'],
    ['release', 'job:8', '"released"'],
    ['note_ends', 'job:9', 'true'],
  ] as const)('%s reaches its own row alone', async (verb, name, verdict) => {
    const before = await entriesRead();
    const answer = await verbs[verb](name);
    expect(answer).toContain(verdict);
    expect((await entriesRead()) - before).toBeLessThan(readsMax);
  });
});
