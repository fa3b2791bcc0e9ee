import { createGroupCommit, type GroupCommitOptions } from '../group-commit';
import type { Migration } from '../migrations';
import { PostgresDatabase, type PostgresOptions } from './database';
import { settleRestored } from './feed';
import { migratePostgres } from './migrate';
import { readServer, type ServerFindings } from './server-check';

export interface OpenDatabaseOptions {
  readonly database: PostgresOptions;
  readonly migrations: readonly Migration[];
  readonly groupCommit: GroupCommitOptions;
  /** How long a database that takes no connection is waited for at the start, in milliseconds. */
  readonly startMsMax: number;
  /** What is odd about the server, for the log. */
  readonly onFindings: (findings: ServerFindings) => void;
}

/** A migration may take its time, and a timer beyond this fires at once. */
const longestTimerMs = 2 ** 31 - 1;

/** A database that was looked at, has been migrated, and may be used. */
export async function openDatabase(options: OpenDatabaseOptions): Promise<PostgresDatabase> {
  const { groupCommit, migrations } = options;
  const database = new PostgresDatabase(options.database);
  try {
    const starting = createGroupCommit({
      ...groupCommit,
      patienceMs: options.startMsMax,
      answerMsMax: longestTimerMs,
    });
    options.onFindings(await starting.runWithPatience(() => readServer(database)));
    await starting.runWithPatience(() => migratePostgres(options.database, migrations));
    await starting.runWithPatience(() => settleRestored(database));
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}
