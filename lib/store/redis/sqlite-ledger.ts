import { z } from 'zod';

import { limits } from '../../locks/limits';
import { createGroupCommit, type GroupCommit, type GroupCommitOptions } from '../group-commit';
import type { Migration } from '../migrations';
import type { SqliteConnection } from '../sqlite/connection';
import { assertIntact } from '../sqlite/intact';
import { migrateSqlite } from '../sqlite/migrate';
import { createReads } from '../sqlite/reads';
import { sqliteClock } from '../sqlite/statements/parts';
import { parseOldEvents, patientHistory, type Ledger } from './ledger';

interface SqliteLedgerOptions {
  readonly writer: SqliteConnection;
  readonly reader: SqliteConnection;
  readonly migrations: readonly Migration[];
  readonly groupCommit: GroupCommitOptions;
}

/** The ledger in a SQLite file, which it migrates first. It closes the connections. */
export async function openSqliteLedger(options: SqliteLedgerOptions): Promise<Ledger> {
  const { writer, reader, migrations, groupCommit } = options;
  const commits = createGroupCommit(groupCommit);
  const close = async () => {
    await commits.close();
    await Promise.all([writer.close(), reader.close()]);
  };
  try {
    await commits.runWithPatience(() => migrateSqlite(writer, migrations));
    await commits.runWithPatience(() => assertIntact(writer));
  } catch (error) {
    await close();
    throw error;
  }
  const reads = createReads(reader, sqliteClock, () => groupCommit.waiting.now());

  return {
    async reserveTokens(count) {
      // The first statement takes the file's only writer: what the next ones read is still so when they write.
      const results = await commits.runWithPatience(() =>
        writer.transaction([
          { sql: beginGeneration, values: [] },
          { sql: 'SELECT value FROM fencing_counter', values: [] },
          { sql: raiseCounter, values: [count, limits.fencingTokenMax] },
        ]),
      );
      const [[saved], [[before]], [[last]]] = reserved.parse(results);
      return before === last ? null : { first: before + 1, last, saved: savedOf(saved) };
    },
    async savedUpTo() {
      const [rows] = await commits.runWithPatience(() =>
        writer.transaction([{ sql: readSaved, values: [] }]),
      );
      const [saved] = z.tuple([savedRow]).parse(rows);
      return savedOf(saved);
    },
    async saveEvents(lines, from, to) {
      const move = [to.ms, to.seq, from.ms, from.seq, from.generation];
      const [moved] = await commits.runWithPatience(() =>
        writer.transaction([
          { sql: moveSaved, values: move },
          { sql: insertEvents, values: [`[${lines.join(',')}]`] },
        ]),
      );
      return moved?.length === 1;
    },
    history: patientHistory(reads, commits),
    ...forgetting({ writer, reader, commits }),
    close,
  };
}

interface ForgettingOptions {
  readonly writer: SqliteConnection;
  readonly reader: SqliteConnection;
  readonly commits: GroupCommit;
}

function forgetting(options: ForgettingOptions): Pick<Ledger, 'oldEvents' | 'forgetEvents'> {
  const { writer, reader, commits } = options;
  return {
    async oldEvents({ beforeMs, after, limit }) {
      const values = [beforeMs, after?.atMs ?? 0, Number(after?.id ?? 0), limit];
      const [rows] = await commits.runWithPatience(() =>
        reader.transaction([{ sql: readOldEvents, values }]),
      );
      return parseOldEvents(rows);
    },
    async forgetEvents(ids) {
      const values = [JSON.stringify(ids.map(Number))];
      const [rows] = await commits.runWithPatience(() =>
        writer.transaction([{ sql: removeEvents, values }]),
      );
      return rows?.length ?? 0;
    },
  };
}

const beginGeneration =
  'UPDATE redis_stream SET generation = generation + 1 RETURNING saved_ms, saved_seq, generation';
const raiseCounter = 'UPDATE fencing_counter SET value = min(value + ?, ?) RETURNING value';
const readSaved = 'SELECT saved_ms, saved_seq, generation FROM redis_stream';

/** No row: somebody else has saved, or another generation has begun. */
const moveSaved = `UPDATE redis_stream SET saved_ms = ?, saved_seq = ?
  WHERE saved_ms = ? AND saved_seq = ? AND generation = ? RETURNING id`;

/** Inserts nothing if the statement before it, `moveSaved`, changed nothing. The order is that of the stream. */
const insertEvents = `INSERT INTO lock_events
  (at, kind, resource, owner, fencing_token, expires_at, previous_owner, client, actor, reason, count, held_ms,
   request_id, subject)
  SELECT CAST(e.value->>0 AS INTEGER), e.value->>1, e.value->>2, e.value->>3, CAST(e.value->>4 AS INTEGER),
    CAST(e.value->>5 AS INTEGER), e.value->>6, e.value->>7, e.value->>8, e.value->>9, CAST(e.value->>10 AS INTEGER),
    CAST(e.value->>11 AS INTEGER), e.value->>12, e.value->>13
  FROM json_each(?) e WHERE changes() = 1 ORDER BY e.key`;

const readOldEvents = `SELECT e.id, e.at, e.resource, e.fencing_token FROM lock_events e
  WHERE e.at < ? AND (e.at, e.id) > (?, ?) ORDER BY e.at, e.id LIMIT ?`;
const removeEvents = `DELETE FROM lock_events WHERE id IN (SELECT e.value FROM json_each(?) e) RETURNING id`;

const savedRow = z.tuple([z.int(), z.int(), z.int()]);
const reserved = z.tuple([
  z.tuple([savedRow]),
  z.tuple([z.tuple([z.int()])]),
  z.tuple([z.tuple([z.int()])]),
]);

function savedOf([ms, seq, generation]: z.output<typeof savedRow>) {
  return { ms, seq, generation };
}
