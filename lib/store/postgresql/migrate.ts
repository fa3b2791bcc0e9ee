import pg from 'pg';

import { checkKnown, checksumOf, type Migration } from '../migrations';
import type { PostgresOptions } from './database';
import { notConnected } from './sql-errors';

/** Prisma's own ledger, so that `prisma migrate deploy` and this runner accept each other's work. */
const ledger = `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
    "id"                  VARCHAR(36) PRIMARY KEY NOT NULL,
    "checksum"            VARCHAR(64) NOT NULL,
    "finished_at"         TIMESTAMPTZ,
    "migration_name"      VARCHAR(255) NOT NULL,
    "logs"                TEXT,
    "rolled_back_at"      TIMESTAMPTZ,
    "started_at"          TIMESTAMPTZ NOT NULL DEFAULT now(),
    "applied_steps_count" INTEGER NOT NULL DEFAULT 0
)`;

/**
 * Applies the migrations that the database lacks, in order, each in one transaction with its line in the ledger: an
 * instance killed half-way leaves nothing behind, and of two that start at once one applies and the other finds it done.
 * The lock that keeps them apart ends with the transaction, so no pooler can strand it. A database that lacks nothing is
 * only read: the service needs no right to change tables.
 *
 * @throws if the database has a migration that this build does not know, or knows with another text.
 */
export async function migratePostgres(
  { url, connectMsMax }: Pick<PostgresOptions, 'url' | 'connectMsMax'>,
  migrations: readonly Migration[],
): Promise<void> {
  // A connection of its own: a change of tables, or the wait for another instance's, may take longer than a call.
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectMsMax });
  client.on('error', () => undefined);
  await client.connect().catch(notConnected);
  try {
    const applied = await appliedChecksums(client);
    checkKnown(applied, migrations);
    for (const migration of migrations) {
      if (!applied.has(migration.name)) await apply(client, migration);
    }
    checkKnown(await appliedChecksums(client), migrations);
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function apply(client: pg.Client, { name, sql }: Migration): Promise<void> {
  await client.query('BEGIN');
  // The first number is the one of all Holdfast's advisory locks; no name of a lock has the second alone.
  await client.query('SELECT pg_advisory_xact_lock(1215261796::bigint)');
  await client.query(ledger);
  if (!(await appliedChecksums(client)).has(name)) {
    await client.query(sql);
    await client.query(
      `INSERT INTO "_prisma_migrations" ("id", "checksum", "migration_name", "finished_at", "applied_steps_count")
       VALUES (gen_random_uuid(), $1, $2, clock_timestamp(), 1)`,
      [checksumOf(sql), name],
    );
  }
  await client.query('COMMIT');
}

/** By the name of the migration; empty where there is no ledger yet. */
async function appliedChecksums(client: pg.Client): Promise<ReadonlyMap<string, string>> {
  const { rows: tables } = await client.query<[string | null]>({
    text: `SELECT to_regclass('"_prisma_migrations"')::text`,
    rowMode: 'array',
  });
  if (tables[0]?.[0] == null) return new Map();
  const { rows } = await client.query<[string, string]>({
    text: `SELECT migration_name, checksum FROM "_prisma_migrations"
      WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL`,
    rowMode: 'array',
  });
  return new Map(rows);
}
