import type { LockStore } from '../../locks/lock-store';
import { createGroupCommit, type GroupCommitOptions } from '../group-commit';
import type { Migration } from '../migrations';
import { serveLocks } from '../serve';
import { systemWaiting } from '../system-waiting';
import { createWatchers } from '../watchers';
import { PostgresDatabase, type PostgresOptions } from './database';
import { settleRestored } from './feed';
import { migratePostgres } from './migrate';
import { EventNotices } from './notices';
import { createReads } from './reads';
import { readServer, type ServerFindings } from './server-check';
import { createVerbs } from './verbs';

export interface PostgresStoreOptions {
  readonly database: PostgresOptions;
  readonly migrations: readonly Migration[];
  readonly groupCommit: GroupCommitOptions;
  /** An address for notices between instances: of the server itself, not of a pooler in front of it. */
  readonly directUrl?: string;
  /** Told when that address leads to a pooler all the same. */
  readonly onPooled?: () => void;
  /** How long a database that takes no connection is waited for at the start, in milliseconds. */
  readonly startMsMax: number;
  /** What is odd about the server, for the log. */
  readonly onFindings: (findings: ServerFindings) => void;
}

/**
 * What fits a database at some distance: several groups are under way at once when many call or it takes its time, so
 * that the next are on the wire while one is flushed to disk; and whoever waits is told within two seconds that the database does not answer.
 */
export const postgresGroupCommit = {
  groupMax: 64,
  groupsInFlightMax: 4,
  gatherMsMax: 3,
  queueMax: 10_000,
  patienceMs: 1_500,
  answerMsMax: 1_900,
  waiting: systemWaiting,
} as const satisfies GroupCommitOptions;

/** A migration may take its time, and a timer beyond this fires at once. */
const longestTimerMs = 2 ** 31 - 1;

/** The PostgreSQL store: migrates the database, and serves the lock verbs in group commits. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<LockStore> {
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
  const monotonicMs = () => groupCommit.waiting.now();
  const watchers = createWatchers();
  const notices = new EventNotices({
    url: options.directUrl ?? options.database.url,
    connectMsMax: options.database.connectMsMax,
    statementMsMax: options.database.statementMsMax,
    onNotice: () => watchers.tellOfEvents(),
    onPooled: options.onPooled ?? (() => undefined),
  });
  notices.start();
  return serveLocks({
    watchers,
    monotonicMs,
    onWritten: () => notices.tell(),
    verbs: createVerbs(database, { lockMsMax: options.database.lockMsMax, monotonicMs }),
    reads: createReads(database, monotonicMs),
    commits: createGroupCommit(groupCommit),
    async disconnect() {
      await Promise.all([notices.close(), database.close()]);
    },
  });
}
