import { randomUUID } from 'node:crypto';

import { checkKnown, checksumOf, type Migration } from '../migrations';
import type { SqliteConnection } from './connection';

/** Prisma's own ledger, so that `prisma migrate deploy` and this runner accept each other's work. */
const ledger = `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
    "id"                    TEXT PRIMARY KEY NOT NULL,
    "checksum"              TEXT NOT NULL,
    "finished_at"           DATETIME,
    "migration_name"        TEXT NOT NULL,
    "logs"                  TEXT,
    "rolled_back_at"        DATETIME,
    "started_at"            DATETIME NOT NULL DEFAULT current_timestamp,
    "applied_steps_count"   INTEGER UNSIGNED NOT NULL DEFAULT 0
);`;

/**
 * Applies the migrations that the file lacks, in order, each in one transaction with its line in the ledger: a process
 * killed half-way leaves nothing behind, and of two that start at once one applies and the other finds it done.
 *
 * @throws if the file has a migration that this build does not know, or knows with another text.
 */
export async function migrateSqlite(
  connection: SqliteConnection,
  migrations: readonly Migration[],
): Promise<void> {
  await connection.script(ledger);
  for (const migration of migrations) {
    const applied = await appliedChecksums(connection);
    checkKnown(applied, migrations);
    if (applied.has(migration.name)) continue;
    try {
      await connection.script(`${migration.sql}\n${ledgerLine(migration)}`);
    } catch (error) {
      // Another process that started at the same moment may have been first.
      if (!(await appliedChecksums(connection)).has(migration.name)) throw error;
    }
  }
  checkKnown(await appliedChecksums(connection), migrations);
}

function ledgerLine({ name, sql }: Migration): string {
  const values = [randomUUID(), checksumOf(sql), name].map((value) => `'${value}'`).join(', ');
  return `INSERT INTO "_prisma_migrations"
    ("id", "checksum", "migration_name", "started_at", "finished_at", "applied_steps_count")
    VALUES (${values}, unixepoch() * 1000, unixepoch() * 1000, 1);`;
}

async function appliedChecksums(connection: SqliteConnection): Promise<Map<string, string>> {
  const [rows] = await connection.transaction([
    {
      sql: `SELECT migration_name, checksum FROM _prisma_migrations
        WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL`,
      values: [],
    },
  ]);
  return new Map((rows ?? []).map(([name, checksum]) => [String(name), String(checksum)]));
}
