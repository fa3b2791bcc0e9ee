import type { LockStore } from '../../locks/lock-store';
import { createGroupCommit, type GroupCommit, type GroupCommitOptions } from '../group-commit';
import type { Migration } from '../migrations';
import { serveLocks } from '../serve';
import type { SqliteConnection } from './connection';
import { assertIntact } from './intact';
import { migrateSqlite } from './migrate';
import { createReads } from './reads';
import { sqliteClock } from './statements/parts';
import { createWatchers } from '../watchers';
import { createVerbs } from './verbs';

export interface SqliteStoreOptions {
  /** Carries everything that writes. */
  readonly writer: SqliteConnection;
  /** Carries everything that only reads, so that a long list never keeps a lock call waiting. */
  readonly reader: SqliteConnection;
  readonly migrations: readonly Migration[];
  readonly groupCommit: GroupCommitOptions;
  /** An SQL expression for now in milliseconds; only tests give one. */
  readonly clock?: string;
}

/** The SQLite store: migrates the file, and serves the lock verbs in group commits. It closes its connections. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<LockStore> {
  const { writer, reader, migrations } = options;
  try {
    const commits = createGroupCommit(options.groupCommit);
    await commits.runWithPatience(() => migrateSqlite(writer, migrations));
    await commits.runWithPatience(() => assertIntact(writer));
    return buildStore(options, commits);
  } catch (error) {
    await Promise.all([writer.close(), reader.close()]);
    throw error;
  }
}

function buildStore(options: SqliteStoreOptions, commits: GroupCommit): LockStore {
  const { writer, reader, clock = sqliteClock } = options;
  const monotonicMs = () => options.groupCommit.waiting.now();
  const verbs = createVerbs(writer, clock, monotonicMs);
  const reads = createReads(reader, clock, monotonicMs);

  return serveLocks({
    verbs,
    reads,
    commits,
    watchers: createWatchers(),
    monotonicMs,
    async disconnect() {
      await Promise.all([writer.close(), reader.close()]);
    },
  });
}
