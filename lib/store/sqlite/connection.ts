import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import type { SqlDriverAdapter, SqlQuery, SqlResultSet } from '@prisma/driver-adapter-utils';

import { StoreBusy } from '../errors';
import {
  durabilityPragmas,
  openLockFile,
  type LockFile,
  type Rows,
  type Statement,
} from './lock-file';

/** A connection to a SQLite file, in this thread or in one of its own. */
export interface SqliteConnection {
  /**
   * Runs statements in one transaction and returns the rows of each, after the commit is durable.
   *
   * @throws StoreBusy when another process holds the writer, RolledBack when a statement failed: nothing was written.
   *   After any other error what was written is not known.
   */
  transaction(statements: readonly Statement[]): Promise<readonly Rows[]>;
  /** Runs a script of several statements in one transaction that holds the writer from its start. */
  script(sql: string): Promise<void>;
  /** One statement of the Prisma client that returns rows, in a transaction of its own. */
  queryRaw(query: SqlQuery): Promise<SqlResultSet>;
  /** One statement of the Prisma client that returns how many rows it changed, in a transaction of its own. */
  executeRaw(query: SqlQuery): Promise<number>;
  close(): Promise<void>;
}

/**
 * A connection in this thread. The store's own statements go to SQLite directly, those of the Prisma client through
 * Prisma's driver adapter, which opens the file a second time when it is first needed.
 */
export class LocalSqliteConnection implements SqliteConnection {
  readonly #url: string;
  #file: LockFile | null = null;
  #adapter: Promise<SqlDriverAdapter> | null = null;
  #isClosed = false;

  /** @param url `file:` and a path. The file is made when the first transaction needs it. */
  constructor(url: string) {
    this.#url = url;
  }

  transaction(statements: readonly Statement[]): Promise<readonly Rows[]> {
    return promised(() => this.#open().transaction(statements));
  }

  script(sql: string): Promise<void> {
    return promised(() => this.#open().script(sql));
  }

  async queryRaw(query: SqlQuery): Promise<SqlResultSet> {
    return this.#byAdapter((adapter) => adapter.queryRaw(query));
  }

  async executeRaw(query: SqlQuery): Promise<number> {
    return this.#byAdapter((adapter) => adapter.executeRaw(query));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#file?.close();
    this.#file = null;
    const adapter = await this.#adapter;
    this.#adapter = null;
    await adapter?.dispose();
  }

  #open(): LockFile {
    this.#assertOpen();
    return (this.#file ??= openLockFile(this.#url.slice('file:'.length)));
  }

  async #byAdapter<T>(run: (adapter: SqlDriverAdapter) => Promise<T>): Promise<T> {
    this.#assertOpen();
    try {
      return await run(await this.#openAdapter());
    } catch (error) {
      throw isAdapterBusy(error)
        ? new StoreBusy('The database is locked', { cause: error })
        : error;
    }
  }

  #openAdapter(): Promise<SqlDriverAdapter> {
    return (this.#adapter ??= connectAdapter(this.#url).catch((error: unknown) => {
      this.#adapter = null;
      throw error;
    }));
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new Error('The connection is closed');
  }
}

function promised<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => resolve(work()));
}

async function connectAdapter(url: string): Promise<SqlDriverAdapter> {
  const factory = new PrismaBetterSqlite3({ url, timeout: 0 }, { timestampFormat: 'unixepoch-ms' });
  const adapter = await factory.connect();
  try {
    await adapter.executeScript(durabilityPragmas);
    return adapter;
  } catch (error) {
    await adapter.dispose();
    throw error;
  }
}

/** The adapter names every SQLITE_BUSY a SocketTimeout. */
export function isAdapterBusy(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { cause } = error;
  return (
    typeof cause === 'object' && cause !== null && 'kind' in cause && cause.kind === 'SocketTimeout'
  );
}
