import { openLockFile, type LockFile, type Rows, type Statement } from './lock-file';

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
  close(): Promise<void>;
}

/** A connection in this thread. */
export class LocalSqliteConnection implements SqliteConnection {
  readonly #url: string;
  #file: LockFile | null = null;
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

  close(): Promise<void> {
    this.#isClosed = true;
    this.#file?.close();
    this.#file = null;
    return Promise.resolve();
  }

  #open(): LockFile {
    this.#assertOpen();
    return (this.#file ??= openLockFile(this.#url.slice('file:'.length)));
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new Error('The connection is closed');
  }
}

function promised<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => resolve(work()));
}
