import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { migrations } from '@/generated/migrations-sqlite';
import { defaultGroupCommit, type GroupCommitOptions } from '@/lib/store/group-commit';
import { LocalSqliteConnection } from '@/lib/store/sqlite/connection';
import { openSqliteStore } from '@/lib/store/sqlite/sqlite-store';

import { startMs, type StoreUnderTest } from './store-under-test';

/** A SQLite store on a real file of its own, whose clock is a row that the test sets through the same connection. */
export async function openSqlite(
  groupCommit: Partial<GroupCommitOptions> = {},
): Promise<StoreUnderTest & { readonly file: string; readonly connection: LocalSqliteConnection }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'holdfast-store-'));
  const file = path.join(folder, 'locks.db');
  const connection = new LocalSqliteConnection(`file:${file}`);
  await connection.script(
    `CREATE TABLE test_clock (ms INTEGER NOT NULL); INSERT INTO test_clock VALUES (${startMs});`,
  );
  const store = await openSqliteStore({
    writer: connection,
    reader: new LocalSqliteConnection(`file:${file}`),
    migrations,
    groupCommit: { ...defaultGroupCommit, ...groupCommit },
    clock: '(SELECT ms FROM test_clock)',
  });
  return {
    store,
    file,
    connection,
    clock: {
      async now() {
        const [rows] = await connection.transaction([
          { sql: 'SELECT ms FROM test_clock', values: [] },
        ]);
        return Number(rows?.[0]?.[0]);
      },
      set: (ms) => connection.script(`UPDATE test_clock SET ms = ${ms};`),
      advance: (ms) => connection.script(`UPDATE test_clock SET ms = ms + ${ms};`),
    },
    setTokenCounter: (value) => connection.script(`UPDATE fencing_counter SET value = ${value};`),
    async noteAccess(kind, actor) {
      await connection.transaction([
        {
          sql: `INSERT INTO lock_events (at, kind, actor, subject) SELECT ms, ?, ?, 'subject' FROM test_clock`,
          values: [kind, actor],
        },
      ]);
    },
    async close() {
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
