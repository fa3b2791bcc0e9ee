import { z } from 'zod';

import { createGroupCommit } from '../group-commit';
import type { SqlValue } from '../postgresql/database';
import { openDatabase, type OpenDatabaseOptions } from '../postgresql/open-database';
import { createReads } from '../postgresql/reads';
import { parseOldEvents, patientHistory, type Ledger } from './ledger';

/** The ledger in a PostgreSQL database, which it migrates first. */
export async function openPostgresLedger(options: OpenDatabaseOptions): Promise<Ledger> {
  const { groupCommit } = options;
  const database = await openDatabase(options);
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
