import { mkdir } from 'node:fs/promises';
import path from 'node:path';

import type { Logger } from 'pino';

import { migrations as postgresMigrations } from '@/generated/migrations-postgresql';
import { migrations as sqliteMigrations } from '@/generated/migrations-sqlite';
import type { LockStore } from '@/lib/locks/lock-store';
import { defaultGroupCommit } from '@/lib/store/group-commit';
import { openPostgresStore, postgresGroupCommit } from '@/lib/store/postgresql/postgresql-store';
import { LocalSqliteConnection } from '@/lib/store/sqlite/connection';
import type { Ledger } from '@/lib/store/redis/ledger';
import { openPostgresLedger } from '@/lib/store/redis/postgresql-ledger';
import { openRedisStore, redisGroupCommit } from '@/lib/store/redis/redis-store';
import { openSqliteLedger } from '@/lib/store/redis/sqlite-ledger';
import { openSqliteStore } from '@/lib/store/sqlite/sqlite-store';
import { WorkerSqliteConnection } from '@/lib/store/sqlite/worker-connection';

import { EnvironmentError, type DatabaseChoice, type LockStoreChoice } from './env';

interface StoreOptions {
  readonly database: DatabaseChoice;
  /** A Redis for the locks; null to keep them in the database. */
  readonly lockStore: LockStoreChoice | null;
  readonly retentionMs: number;
  /** The bundled script of the SQLite connection's thread; null to open the file in this thread. */
  readonly sqliteWorker: URL | null;
  readonly log: Logger;
}

/** How long a server that takes no connection yet is waited for: it may be starting beside this process. */
const startMsMax = 30_000;

/** How long beyond the retention Redis keeps a lock by itself: its end is noted in that time, or by nobody. */
const unnotedMsMax = 7 * 24 * 60 * 60 * 1000;
/** A block lasts some seconds at the highest rate, and what is left of it at a restart is a gap in the tokens. */
const tokenBlock = 100_000;

/** @throws EnvironmentError when there is no using what the environment names. */
export async function openStore(options: StoreOptions): Promise<LockStore> {
  const { database, lockStore } = options;
  if (lockStore === null) {
    return named('DATABASE_URL names a database', () =>
      database.kind === 'sqlite'
        ? openSqlite(database.url, options.sqliteWorker)
        : openPostgresStore(postgresOptions(database, options.log)),
    );
  }
  const ledger = await named('DATABASE_URL names a database', () => openLedger(options));
  return named('LOCK_STORE_URL names a Redis', () => openRedis(lockStore, ledger, options));
}

async function named<T>(what: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    const reason = `${what} that can't be used: ${rootMessage(error)}`;
    throw new EnvironmentError(reason, { cause: error });
  }
}

async function openSqlite(url: string, worker: URL | null): Promise<LockStore> {
  return openSqliteStore(await sqliteOptions(url, worker));
}

async function sqliteOptions(url: string, worker: URL | null) {
  const connect = () =>
    worker === null ? new LocalSqliteConnection(url) : new WorkerSqliteConnection(worker, url);
  await mkdir(path.dirname(url.slice('file:'.length)), { recursive: true });
  return {
    writer: connect(),
    reader: connect(),
    migrations: sqliteMigrations,
    groupCommit: defaultGroupCommit,
  };
}

function postgresOptions(database: Extract<DatabaseChoice, { kind: 'postgresql' }>, log: Logger) {
  return {
    database,
    migrations: postgresMigrations,
    groupCommit: postgresGroupCommit,
    startMsMax,
    directUrl: database.directUrl,
    onPooled: () =>
      log.info(
        'events of other instances are looked for every 400 ms: DATABASE_DIRECT_URL must name the server itself to hear of them at once',
      ),
    onFindings: tell(log, 'PostgreSQL '),
  };
}

async function openLedger({ database, sqliteWorker, log }: StoreOptions): Promise<Ledger> {
  return database.kind === 'sqlite'
    ? openSqliteLedger(await sqliteOptions(database.url, sqliteWorker))
    : openPostgresLedger(postgresOptions(database, log));
}

function openRedis(
  { target, prefix }: LockStoreChoice,
  ledger: Ledger,
  { retentionMs, log }: StoreOptions,
): Promise<LockStore> {
  return openRedisStore({
    target,
    prefix,
    ledger,
    groupCommit: redisGroupCommit,
    startMsMax,
    expiredMsMax: retentionMs + unnotedMsMax,
    tokenBlock,
    onFindings: tell(log, ''),
    onTrouble(error) {
      if (error === null) log.info('the history is saved again');
      else log.error({ err: error }, 'the history waits in Redis: it could not be saved');
    },
  });
}

interface Findings {
  readonly version: string;
  readonly warnings: readonly string[];
}

function tell(log: Logger, name: string): (findings: Findings) => void {
  return ({ version, warnings }) => {
    log.info(`${name}${version}`);
    for (const warning of warnings) log.warn(warning);
  };
}

/** The cause at the bottom; of several attempts at once, the last. */
export function rootMessage(error: unknown): string {
  if (error instanceof AggregateError) return rootMessage(error.errors.at(-1));
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? rootMessage(error.cause) : error.message;
}
