import { mkdir } from 'node:fs/promises';
import path from 'node:path';

import type { Logger } from 'pino';

import { migrations as postgresMigrations } from '@/generated/migrations-postgresql';
import { migrations as sqliteMigrations } from '@/generated/migrations-sqlite';
import type { LockStore } from '@/lib/locks/lock-store';
import { defaultGroupCommit } from '@/lib/store/group-commit';
import { openPostgresStore, postgresGroupCommit } from '@/lib/store/postgresql/postgresql-store';
import { LocalSqliteConnection } from '@/lib/store/sqlite/connection';
import { openSqliteStore } from '@/lib/store/sqlite/sqlite-store';
import { WorkerSqliteConnection } from '@/lib/store/sqlite/worker-connection';

import { EnvironmentError, type DatabaseChoice } from './env';

interface StoreOptions {
  readonly database: DatabaseChoice;
  /** The bundled script of the SQLite connection's thread; null to open the file in this thread. */
  readonly sqliteWorker: URL | null;
  readonly log: Logger;
}

/** How long a server that takes no connection yet is waited for: it may be starting beside this process. */
const startMsMax = 30_000;

/** @throws EnvironmentError when there is no using the database that the environment names. */
export async function openStore({ database, sqliteWorker, log }: StoreOptions): Promise<LockStore> {
  try {
    return database.kind === 'sqlite'
      ? await openSqlite(database.url, sqliteWorker)
      : await openPostgres(database, log);
  } catch (error) {
    const reason = `DATABASE_URL names a database that can't be used: ${rootMessage(error)}`;
    throw new EnvironmentError(reason, { cause: error });
  }
}

async function openSqlite(url: string, worker: URL | null): Promise<LockStore> {
  const connect = () =>
    worker === null ? new LocalSqliteConnection(url) : new WorkerSqliteConnection(worker, url);
  await mkdir(path.dirname(url.slice('file:'.length)), { recursive: true });
  return openSqliteStore({
    writer: connect(),
    reader: connect(),
    migrations: sqliteMigrations,
    groupCommit: defaultGroupCommit,
  });
}

function openPostgres(
  database: Extract<DatabaseChoice, { kind: 'postgresql' }>,
  log: Logger,
): Promise<LockStore> {
  return openPostgresStore({
    database,
    migrations: postgresMigrations,
    groupCommit: postgresGroupCommit,
    startMsMax,
    directUrl: database.directUrl,
    onPooled: () =>
      log.info(
        'events of other instances are looked for every 400 ms: DATABASE_DIRECT_URL must name the server itself to hear of them at once',
      ),
    onFindings({ version, warnings }) {
      log.info(`PostgreSQL ${version}`);
      for (const warning of warnings) log.warn(warning);
    },
  });
}

/** The cause at the bottom; of several attempts at once, the last. */
export function rootMessage(error: unknown): string {
  if (error instanceof AggregateError) return rootMessage(error.errors.at(-1));
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? rootMessage(error.cause) : error.message;
}
