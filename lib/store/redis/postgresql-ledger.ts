import { z } from 'zod';

import { createGroupCommit, type GroupCommitOptions } from '../group-commit';
import type { Migration } from '../migrations';
import { PostgresDatabase, type PostgresOptions, type SqlValue } from '../postgresql/database';
import { settleRestored } from '../postgresql/feed';
import { migratePostgres } from '../postgresql/migrate';
import { createReads } from '../postgresql/reads';
import { readServer, type ServerFindings } from '../postgresql/server-check';
import { parseOldEvents, patientHistory, type Ledger } from './ledger';

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
    await starting.runWithPatience(() => settleRestored(database));
  } catch (error) {
    await database.close();
    throw error;
  }
  const commits = createGroupCommit(groupCommit);
  const reads = createReads(database, () => groupCommit.waiting.now());
  const value = (sql: string, values: readonly SqlValue[]) =>
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
    history: patientHistory(reads, commits),
    async oldEvents({ beforeMs, after, limit }) {
      const values = [beforeMs, after?.atMs ?? 0, Number(after?.id ?? 0), limit];
      return parseOldEvents(await value(readOldEvents, values));
    },
    async forgetEvents(ids) {
      return z.int().parse(await value(removeEvents, [ids.map(Number)]));
    },
    async close() {
      await commits.close();
      await database.close();
    },
  };
}

const readSaved = 'SELECT json_build_array(saved_ms, saved_seq, generation) FROM redis_stream';

const readOldEvents = `SELECT coalesce(json_agg(json_build_array(e.id, holdfast_ms(e.at), e.resource, e.fencing_token)
    ORDER BY e.at, e.id), '[]')
  FROM (SELECT * FROM lock_events e WHERE e.at < 'epoch'::timestamptz + holdfast_span($1)
    AND (e.at, e.id) > ('epoch'::timestamptz + holdfast_span($2), $3::bigint) ORDER BY e.at, e.id LIMIT $4) e`;
const removeEvents = `WITH gone AS (DELETE FROM lock_events WHERE id = ANY ($1::bigint[]) RETURNING 1)
  SELECT count(*)::integer FROM gone`;

const savedRow = z.tuple([z.int(), z.int(), z.int()]);
const reserved = z.tuple([z.int().nullable(), z.int().nullable(), z.int(), z.int(), z.int()]);
