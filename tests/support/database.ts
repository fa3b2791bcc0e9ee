import Database from 'better-sqlite3';

/** A database file seen from outside, by a process that is not the server. */

export interface Dump {
  readonly [table: string]: readonly unknown[];
}

/** Every row of every table, but for SQLite's own. */
export function dump(file: string): Dump {
  return withDatabase(file, (database) =>
    Object.fromEntries(
      tablesOf(database).map((table) => [
        table,
        database.prepare(`SELECT * FROM "${table}" ORDER BY 1`).safeIntegers().raw().all(),
      ]),
    ),
  );
}

/** @returns the rows of a query, with whole numbers as numbers. */
export function rowsOf(file: string, sql: string, ...values: (string | number)[]): unknown[] {
  return withDatabase(file, (database) => database.prepare(sql).all(...values));
}

/** Changes the file behind the server's back, waiting for its turn to write. */
export function change(file: string, sql: string, ...values: (string | number)[]): number {
  return withDatabase(file, (database) => database.prepare(sql).run(...values).changes);
}

export interface Writer {
  /** Gives the writer back. */
  release(): void;
}

/** Holds the file's only writer, as a backup or an administrator's shell might. */
export function holdWriter(file: string): Writer {
  const database = new Database(file, { timeout: 30_000 });
  database.exec('BEGIN IMMEDIATE');
  return {
    release() {
      if (database.open) database.exec('COMMIT');
      database.close();
    },
  };
}

function withDatabase<T>(file: string, use: (database: Database.Database) => T): T {
  const database = new Database(file, { timeout: 30_000 });
  try {
    return use(database);
  } finally {
    database.close();
  }
}

function tablesOf(database: Database.Database): string[] {
  return database
    .prepare<[], string>(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite@_%' ESCAPE '@' ORDER BY name`,
    )
    .pluck()
    .all();
}
