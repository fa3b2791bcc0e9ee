import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import type {
  SqlDriverAdapter,
  SqlQuery,
  SqlQueryable,
  SqlResultSet,
  Transaction,
} from '@prisma/driver-adapter-utils';

import { RolledBack, StoreBusy } from '../group-commit';

/** A value that a statement can carry. */
export type SqlValue = string | number | null;

export interface Statement {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

export type Rows = SqlResultSet['rows'];

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
 * A connection by Prisma's driver adapter, in this thread.
 *
 * Everything goes through a transaction, reads too: the adapter runs a lone statement on the same connection, where it
 * would see the uncommitted half of a group that is under way.
 */
export class LocalSqliteConnection implements SqliteConnection {
  readonly #factory: PrismaBetterSqlite3;
  readonly #turns = createTurns();
  #adapter: SqlDriverAdapter | null = null;
  #isClosed = false;

  /** @param url `file:` and a path. The file is made when the first transaction needs it. */
  constructor(url: string) {
    // `timeout` 0: better-sqlite3 would wait for a busy file by blocking the event loop. Callers wait asynchronously.
    this.#factory = new PrismaBetterSqlite3(
      { url, timeout: 0 },
      { timestampFormat: 'unixepoch-ms' },
    );
  }

  async transaction(statements: readonly Statement[]): Promise<readonly Rows[]> {
    return this.#alone(async (transaction) => {
      const rows: Rows[] = [];
      for (const statement of statements) rows.push((await query(transaction, statement)).rows);
      return rows;
    });
  }

  async script(sql: string): Promise<void> {
    await this.#turns.take(async () => {
      const adapter = await this.#open();
      try {
        await adapter.executeScript(`BEGIN IMMEDIATE;\n${sql}\nCOMMIT;`);
      } catch (error) {
        await this.#discard();
        throw asStoreError(error);
      }
    });
  }

  queryRaw(params: SqlQuery): Promise<SqlResultSet> {
    return this.#alone((transaction) => transaction.queryRaw(params));
  }

  executeRaw(params: SqlQuery): Promise<number> {
    return this.#alone((transaction) => transaction.executeRaw(params));
  }

  async close(): Promise<void> {
    await this.#turns.take(async () => {
      this.#isClosed = true;
      await this.#discard();
    });
  }

  async #alone<T>(run: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#turns.take(async () => {
      try {
        return await inTransaction(await this.#open(), run);
      } catch (error) {
        // A transaction that could not be begun or rolled back would poison whatever comes next on this connection.
        if (error instanceof BrokenConnection) await this.#discard();
        throw asStoreError(error instanceof BrokenConnection ? error.cause : error);
      }
    });
  }

  async #open(): Promise<SqlDriverAdapter> {
    if (this.#isClosed) throw new Error('The connection is closed');
    if (this.#adapter !== null) return this.#adapter;
    const adapter = await this.#factory.connect();
    try {
      // FULL: the default of better-sqlite3 in WAL mode is NORMAL, which forgets the last commits in a power cut.
      await adapter.executeScript('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
    } catch (error) {
      await adapter.dispose();
      throw error;
    }
    this.#adapter = adapter;
    return adapter;
  }

  async #discard(): Promise<void> {
    const adapter = this.#adapter;
    this.#adapter = null;
    await adapter?.dispose();
  }
}

class BrokenConnection extends Error {
  constructor(cause: unknown) {
    super('The connection is in an unknown state', { cause });
  }
}

async function inTransaction<T>(
  adapter: SqlDriverAdapter,
  run: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  let transaction: Transaction;
  try {
    transaction = await adapter.startTransaction();
  } catch (error) {
    throw new BrokenConnection(error);
  }
  let isCommitting = false;
  try {
    const result = await run(transaction);
    isCommitting = true;
    await query(transaction, { sql: 'COMMIT', values: [] });
    return result;
  } catch (error) {
    await rollBack(transaction, error);
    if (isCommitting || isBusy(error)) throw error;
    throw new RolledBack(messageOf(error), { cause: error });
  } finally {
    // With this adapter commit() sends nothing and only gives the adapter's own lock back.
    await transaction.commit();
  }
}

/** After some errors (disk full, I/O) SQLite has rolled back by itself, and then says that there is no transaction. */
async function rollBack(transaction: Transaction, cause: unknown): Promise<void> {
  try {
    await query(transaction, { sql: 'ROLLBACK', values: [] });
  } catch (error) {
    if (!messageOf(error).includes('no transaction is active')) throw new BrokenConnection(cause);
  }
}

const unknownType = { scalarType: 'unknown', arity: 'scalar' } as const;

async function query(queryable: SqlQueryable, { sql, values }: Statement): Promise<SqlResultSet> {
  return queryable.queryRaw({ sql, args: [...values], argTypes: values.map(() => unknownType) });
}

interface Turns {
  take<T>(run: () => Promise<T>): Promise<T>;
}

/** First come, first served: one piece of work at a time. */
function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return {
    take(run) {
      const mine = last.then(run);
      last = mine.catch(() => undefined);
      return mine;
    },
  };
}

/** The adapter names every SQLITE_BUSY a SocketTimeout. */
function isBusy(error: unknown): boolean {
  return causeOf(error)?.['kind'] === 'SocketTimeout';
}

function asStoreError(error: unknown): unknown {
  return isBusy(error) ? new StoreBusy(messageOf(error), { cause: error }) : error;
}

function messageOf(error: unknown): string {
  const original = causeOf(error)?.['originalMessage'];
  const message = error instanceof Error ? error.message : String(error);
  return typeof original === 'string' ? `${message}: ${original}` : message;
}

function causeOf(error: unknown): Readonly<Record<string, unknown>> | null {
  if (!(error instanceof Error)) return null;
  const cause: unknown = error.cause;
  return typeof cause === 'object' && cause !== null ? { ...cause } : null;
}
