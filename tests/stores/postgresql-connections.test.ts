import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

import { PostgresDatabase } from '@/lib/store/postgresql/database';

import { createDatabase } from '../support/postgres-cluster';

/** What a connection that a read has failed on is still good for. There is one, so whoever comes next gets it. */
describe('the only connection to PostgreSQL', () => {
  let database: PostgresDatabase;
  beforeAll(async () => {
    database = new PostgresDatabase({
      url: await createDatabase(inject('postgresUrl')),
      connectionsMax: 1,
      connectMsMax: 10_000,
      statementMsMax: 3_000,
      lockMsMax: 1_000,
    });
  });
  afterAll(() => database.close());

  const backend = () => database.value('SELECT pg_backend_pid()', []);

  test.each([
    ['the server ended for taking too long', 'SELECT pg_sleep(60)'],
    ['asked for what is not there', 'SELECT nothing FROM nowhere'],
    ['could not be computed', 'SELECT 1 / 0'],
  ])('serves the next call after a read that %s', async (_, statement) => {
    const before = await backend();
    await expect(database.readValue(statement, [])).rejects.toThrow();
    expect(await backend()).toBe(before);
    expect(await database.readValue('SELECT 2', [])).toBe(2);
    // What follows is no part of a transaction that only reads.
    expect(await database.value('SELECT pg_current_xact_id() IS NOT NULL', [])).toBe(true);
  });
});
