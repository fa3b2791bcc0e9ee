import { RolledBack } from '../errors';
import type { SqliteConnection } from './connection';

/** What grants depend on. The history may be long, and is not looked through at each start. */
const checkedTables = ['distributed_locks', 'fencing_counter', 'evicted_leases'];

/**
 * Looks through the tables that decide who holds what: a damaged file must stop the start, not the first call that
 * happens to touch the damage.
 *
 * @throws if one of them is damaged.
 */
export async function assertIntact(connection: SqliteConnection): Promise<void> {
  for (const table of checkedTables) {
    const findings = await findingsIn(connection, table);
    if (findings !== 'ok') throw new Error(`The table ${table} is damaged: ${findings}`);
  }
}

async function findingsIn(connection: SqliteConnection, table: string): Promise<string> {
  try {
    const [rows] = await connection.transaction([
      { sql: `PRAGMA quick_check('${table}')`, values: [] },
    ]);
    return (rows ?? []).map(([finding]) => String(finding)).join('; ');
  } catch (error) {
    // Damage of the worst kind keeps SQLite from looking at all.
    if (error instanceof RolledBack) return error.message;
    throw error;
  }
}
