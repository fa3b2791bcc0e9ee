import { mkdir } from 'node:fs/promises';
import path from 'node:path';

import type { Logger } from 'pino';

import { migrations as postgresMigrations } from '@/generated/migrations-postgresql';
import { migrations as sqliteMigrations } from '@/generated/migrations-sqlite';
import { StoreUnavailable } from '@/lib/locks/errors';
import type { LockStore } from '@/lib/locks/lock-store';
import { defaultGroupCommit } from '@/lib/store/group-commit';
import { openPostgresStore, postgresGroupCommit } from '@/lib/store/postgresql/postgresql-store';
import { LocalSqliteConnection } from '@/lib/store/sqlite/connection';
import type { Ledger } from '@/lib/store/redis/ledger';
import { openPostgresLedger } from '@/lib/store/redis/postgresql-ledger';
import { openRedisStore, redisGroupCommit, type RedisStore } from '@/lib/store/redis/redis-store';
import { openSqliteLedger } from '@/lib/store/redis/sqlite-ledger';
import { openSqliteStore } from '@/lib/store/sqlite/sqlite-store';
import { WorkerSqliteConnection } from '@/lib/store/sqlite/worker-connection';

import { EnvironmentError, type DatabaseChoice, type LockStoreChoice } from './env';
import type { StoreReport, StoreReports } from './status';

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

interface OpenedStore {
  readonly store: LockStore;
  readonly reports: StoreReports;
}

/** @throws EnvironmentError when there is no using what the environment names. */
export async function openStore(options: StoreOptions): Promise<OpenedStore> {
  const { lockStore } = options;
  const database = await databaseParts(options);
  if (lockStore === null) {
    const store = await named('DATABASE_URL names a database', database.openStore);
    return { store, reports: { store: database.report, database: database.report } };
  }
  const ledger = await named('DATABASE_URL names a database', database.openLedger);
  const store = await named('LOCK_STORE_URL names a Redis', () =>
    openRedis(lockStore, ledger, options),
  );
  return { store, reports: { store: redisReport(store), database: database.report } };
}

interface DatabaseParts {
  readonly openStore: () => Promise<LockStore>;
  /** Where locks are in Redis. */
  readonly openLedger: () => Promise<Ledger>;
  readonly report: () => Promise<StoreReport>;
}

async function databaseParts(options: StoreOptions): Promise<DatabaseParts> {
  const { database, log } = options;
  if (database.kind === 'sqlite') {
    const parts = await sqliteOptions(database.url, options.sqliteWorker);
    return {
      openStore: () => openSqliteStore(parts),
      openLedger: () => openSqliteLedger(parts),
      async report() {
        const [rows] = await parts.reader.transaction([{ sql: sqliteVersion, values: [] }]);
        return { kind: 'sqlite', version: `SQLite ${String(rows?.[0]?.[0])}`, warnings: [] };
      },
    };
  }
  let found: Findings = { version: '', warnings: [] };
  const parts = postgresOptions(database, log, (findings) => (found = findings));
  return {
    openStore: () => openPostgresStore(parts),
    openLedger: () => openPostgresLedger(parts),
    report: () =>
      Promise.resolve({
        kind: 'postgresql',
        version: `PostgreSQL ${found.version}`,
        warnings: found.warnings,
      }),
  };
}

const sqliteVersion = 'SELECT sqlite_version()';

/** As it is when it is asked for: what Redis promises can be changed while it runs. */
function redisReport(store: RedisStore): () => Promise<StoreReport> {
  let version = 'Redis';
  return async () => {
    try {
      const { obstacle, warnings, ...found } = await store.look();
      ({ version } = found);
      return { kind: 'redis', version, warnings: [obstacle ?? [], warnings].flat() };
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      return { kind: 'redis', version, warnings: [`Redis does not answer: ${rootMessage(error)}`] };
    }
  };
}

async function named<T>(what: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    const reason = `${what} that can't be used: ${rootMessage(error)}`;
    throw new EnvironmentError(reason, { cause: error });
  }
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

function postgresOptions(
  database: Extract<DatabaseChoice, { kind: 'postgresql' }>,
  log: Logger,
  onFindings: (findings: Findings) => void,
) {
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
    onFindings(findings: Findings) {
      tell(log, 'PostgreSQL ')(findings);
      onFindings(findings);
    },
  };
}

function openRedis(
  { target, prefix }: LockStoreChoice,
  ledger: Ledger,
  { retentionMs, log }: StoreOptions,
): Promise<RedisStore> {
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
