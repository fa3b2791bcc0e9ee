import { describe, expect, test } from 'vitest';

import { query } from '../support/postgres-cluster';
import { drive, historyOf } from './drive';
import { openPostgres } from './postgresql';
import { openSqlite } from './sqlite';
import type { StoreUnderTest } from './store-under-test';

const largest31BitId = 2 ** 31 - 1;

async function sqliteNearTheLimit(): Promise<StoreUnderTest> {
  const subject = await openSqlite();
  await subject.connection.script(`INSERT INTO sqlite_sequence (name, seq) VALUES
    ('lock_events', ${largest31BitId}), ('distributed_locks', ${largest31BitId});`);
  return subject;
}

async function postgresNearTheLimit(): Promise<StoreUnderTest> {
  const subject = await openPostgres();
  for (const table of ['lock_events', 'distributed_locks']) {
    await query(subject.url, `SELECT setval('${table}_id_seq', ${largest31BitId})`);
  }
  return subject;
}

describe.each([
  ['SQLite', sqliteNearTheLimit],
  ['PostgreSQL', postgresNearTheLimit],
])('rows and events on %s', (_, open) => {
  test('are numbered on beyond 2^31, and paged there', async () => {
    const subject = await open();
    const at = drive(subject);
    try {
      for (const resource of ['a', 'b', 'b', 'b']) await at.grant({ resource, owner: 'owner' });
      const byName = { filter: {}, limit: 1, sortField: 'resource' } as const;
      const rows = await at.list(byName);
      expect(rows.leases.map(({ id }) => Number(id))).toEqual([largest31BitId + 1]);
      const rest = await at.list({ ...byName, after: rows.next });
      expect(rest.leases.map(({ id }) => Number(id))).toEqual([largest31BitId + 2]);

      const newest = await subject.store.events(historyOf('b', { limit: 1 }));
      const after = newest.next;
      const older = await subject.store.events(historyOf('b', { limit: 5, after }));
      expect([...newest.events, ...older.events].map(({ id }) => Number(id))).toEqual([
        largest31BitId + 4,
        largest31BitId + 3,
        largest31BitId + 2,
      ]);
    } finally {
      await subject.close();
    }
  });
});
