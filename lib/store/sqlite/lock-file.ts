import { closeSync, openSync, statSync } from 'node:fs';

import Database from 'better-sqlite3';

import { RolledBack, StoreBusy } from '../errors';

/** A value that a statement can carry. */
export type SqlValue = string | number | null;

export interface Statement {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** The rows that a statement returned, each as its columns in their order. */
export type Rows = readonly (readonly unknown[])[];

/** An open SQLite file, for the statements of the store. A transaction runs to its end without yielding. */
export interface LockFile {
  /** @throws as `SqliteConnection.transaction`, which it carries. */
  transaction(statements: readonly Statement[]): readonly Rows[];
  /** @throws as `SqliteConnection.script`, which it carries. */
  script(sql: string): void;
  close(): void;
}

/** FULL: the default of better-sqlite3 in WAL mode is NORMAL, which forgets the last commits in a power cut. */
export const durabilityPragmas = 'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;';

/** The lock verbs have a dozen texts; those of the list depend on its filters, and are many. */
const preparedMax = 100;

/**
 * @param path of the file, which is made if it is not there.
 * @throws StoreBusy when another process is just making it.
 */
export function openLockFile(path: string): LockFile {
  // `timeout` 0: better-sqlite3 would wait for a busy file by blocking the thread. Callers wait asynchronously.
  makeForOwnerAlone(path);
  const database = asStore(() => new Database(path, { timeout: 0 }));
  try {
    asStore(() => database.exec(durabilityPragmas));
    const identity = identityOf(path);
    const prepared = new Map<string, Database.Statement>();
    return {
      transaction(statements) {
        assertSameFile(path, identity);
        return inTransaction(database, () =>
          statements.map((statement) => run(preparedBy(database, prepared, statement), statement)),
        );
      },
      script(sql) {
        inTransaction(database, () => database.exec(sql), 'BEGIN IMMEDIATE');
      },
      close: () => database.close(),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * The hashes of passwords are in it. SQLite gives the files beside it (-wal, -shm) the mode that it has. A file that is
 * there keeps the mode that somebody gave it.
 */
function makeForOwnerAlone(path: string): void {
  closeSync(openSync(path, 'a', 0o600));
}

/** Preparing costs as much as running: a statement is prepared once, and forgotten when many others came after it. */
function preparedBy(
  database: Database.Database,
  prepared: Map<string, Database.Statement>,
  { sql }: Statement,
): Database.Statement {
  const known = prepared.get(sql);
  if (known !== undefined) return known;
  if (prepared.size >= preparedMax) prepared.clear();
  const statement = database.prepare(sql);
  if (statement.reader) statement.raw(true);
  prepared.set(sql, statement);
  return statement;
}

function run(prepared: Database.Statement, { values }: Statement): Rows {
  // In raw mode, which `preparedBy` turns on, rows are arrays.
  if (prepared.reader) return prepared.all(...values) as unknown[][];
  prepared.run(...values);
  return [];
}

/**
 * BEGIN is deferred unless told otherwise: a group that changes nothing, such as one of denied acquires, takes no writer.
 */
function inTransaction<T>(database: Database.Database, work: () => T, begin = 'BEGIN'): T {
  asStore(() => {
    // Only if the last one could not be rolled back, as after an I/O error.
    rollBack(database);
    database.exec(begin);
  });
  let result: T;
  try {
    result = work();
  } catch (error) {
    rollBack(database);
    if (isBusy(error)) throw asStoreError(error);
    throw new RolledBack(messageOf(error), { cause: error });
  }
  try {
    database.exec('COMMIT');
  } catch (error) {
    rollBack(database);
    throw asStoreError(error);
  }
  return result;
}

/** After some errors (disk full, I/O) SQLite has rolled back by itself. */
function rollBack(database: Database.Database): void {
  if (database.inTransaction) database.exec('ROLLBACK');
}

interface Identity {
  readonly dev: bigint;
  readonly ino: bigint;
}

function identityOf(path: string): Identity | null {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : { dev: found.dev, ino: found.ino };
}

/**
 * A file that was removed or replaced stays open for whoever had it: grants would go where nobody finds them, and
 * another process on the new file would grant the same locks.
 */
function assertSameFile(path: string, opened: Identity | null): void {
  const found = identityOf(path);
  if (found !== null && found.ino === opened?.ino && found.dev === opened.dev) return;
  throw new Error(
    `The database file ${path} was removed or replaced while it was open. Put it back, or restart every process that uses it.`,
  );
}

function asStore<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw asStoreError(error);
  }
}

function asStoreError(error: unknown): unknown {
  return isBusy(error) ? new StoreBusy(messageOf(error), { cause: error }) : error;
}

function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
