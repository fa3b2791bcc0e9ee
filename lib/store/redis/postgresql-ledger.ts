import { z } from 'zod';

import { createGroupCommit, type GroupCommitOptions } from '../group-commit';
import type { Migration } from '../migrations';
import { PostgresDatabase, type PostgresOptions } from '../postgresql/database';
import { migratePostgres } from '../postgresql/migrate';
import { createReads } from '../postgresql/reads';
import { readServer, type ServerFindings } from '../postgresql/server-check';
import type { Ledger } from './ledger';

interface PostgresLedgerOptions {
  readonly database: PostgresOptions;
  readonly migrations: readonly Migration[];
  readonly groupCommit: GroupCommitOptions;
  /** How long a database that takes no connection is waited for at the start, in milliseconds. */
  readonly startMsMax: number;
  readonly onFindings: (findings: ServerFindings) => void;
}

/** A migration may take its time, and a timer beyond this fires at once. */
const longestTimerMs = 2 ** 31 - 1;

/** The ledger in a PostgreSQL database, which it migrates first. */
export async function openPostgresLedger(options: PostgresLedgerOptions): Promise<Ledger> {
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
  } catch (error) {
    await database.close();
    throw error;
  }
  const commits = createGroupCommit(groupCommit);
  const reads = createReads(database, () => groupCommit.waiting.now());
  const value = (sql: string, values: readonly (string | number)[]) =>
    commits.runWithPatience(() => database.value(sql, values));

  return {
    async reserveTokens(count) {
      const report = await value('SELECT holdfast_reserve_tokens($1)', [count]);
      const [first, last, ms, seq, generation] = reserved.parse(report);
      return first === null || last === null
        ? null
        : { first, last, saved: { ms, seq, generation } };
    },
    async savedUpTo() {
      const [ms, seq, generation] = savedRow.parse(await value(readSaved, []));
      return { ms, seq, generation };
    },
    async saveEvents(lines, from, to) {
      const events = `[${lines.join(',')}]`;
      const move = [from.ms, from.seq, from.generation, to.ms, to.seq];
      const isSaved = await value('SELECT holdfast_save_events($1, $2, $3, $4, $5, $6)', [
        events,
        ...move,
      ]);
      return isSaved === true;
    },
    events: (query) => commits.runWithPatience(() => reads.events(query)),
    async close() {
      await commits.close();
      await database.close();
    },
  };
}

const readSaved = 'SELECT json_build_array(saved_ms, saved_seq, generation) FROM redis_stream';

const savedRow = z.tuple([z.int(), z.int(), z.int()]);
const reserved = z.tuple([z.int().nullable(), z.int().nullable(), z.int(), z.int(), z.int()]);
