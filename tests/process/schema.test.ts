import { expect, inject, test } from 'vitest';

import { change } from '../support/database';
import { createDatabase, query } from '../support/postgres-cluster';
import { deployMigrations, differencesFromSchema, scriptOfSchema } from '../support/schema-engine';
import { startServer, temporaryFolder } from '../support/server';

const none = 'No difference detected.';

test('the migrated tables are those of the Prisma schema, on SQLite', async () => {
  const server = await startServer();
  const url = `file:${server.databaseFile}`;
  try {
    expect(await differencesFromSchema(url)).toBe(none);
    await server.kill('SIGKILL');
    change(server.databaseFile, 'ALTER TABLE lock_events ADD COLUMN extra TEXT');
    expect(await differencesFromSchema(url)).toContain('lock_events');
  } finally {
    await server.stop();
  }
});

test('the migrated tables are those of the Prisma schema, on PostgreSQL', async () => {
  const migrated = await createDatabase(inject('postgresUrl'));
  const server = await startServer({ environment: { DATABASE_URL: migrated } });
  await server.stop();
  const byPrisma = await createDatabase(inject('postgresUrl'));
  await query(byPrisma, await scriptOfSchema('postgresql', byPrisma));

  expect(await tablesIn(migrated)).toEqual(await tablesIn(byPrisma));
  await query(migrated, 'ALTER TABLE lock_events ADD COLUMN extra TEXT');
  expect(await tablesIn(migrated)).not.toEqual(await tablesIn(byPrisma));
});

/** Every column and every index, but for the ledger of migrations; collations are not Prisma's to say. */
async function tablesIn(url: string): Promise<unknown> {
  const columns = await query(
    url,
    `SELECT table_name, column_name, data_type, datetime_precision, is_nullable, column_default
     FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name <> '_prisma_migrations' ORDER BY 1, 2`,
  );
  const indexes = await query(
    url,
    `SELECT indexdef FROM pg_indexes
     WHERE schemaname = 'public' AND tablename <> '_prisma_migrations' ORDER BY 1`,
  );
  return { columns, indexes };
}

test.each(['sqlite', 'postgresql'] as const)(
  'what Prisma has migrated the service accepts, and the other way round, on %s',
  async (dialect) => {
    const newUrl = () =>
      dialect === 'sqlite'
        ? `file:${temporaryFolder()}/holdfast.db`
        : createDatabase(inject('postgresUrl'));

    const byPrisma = await newUrl();
    expect(await deployMigrations(dialect, byPrisma)).not.toEqual([]);
    const server = await startServer({ environment: { DATABASE_URL: byPrisma } });
    await server.stop();

    const byService = await newUrl();
    const other = await startServer({ environment: { DATABASE_URL: byService } });
    await other.stop();
    expect(await deployMigrations(dialect, byService)).toEqual([]);
  },
);
