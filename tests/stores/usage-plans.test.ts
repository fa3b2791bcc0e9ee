import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { lockUsageStatement, usageStatement } from '@/lib/store/postgresql/usage';
import * as sqlite from '@/lib/store/sqlite/statements/usage';

import { query } from '../support/postgres-cluster';
import { openPostgres } from './postgresql';
import { openSqlite } from './sqlite';

/** What is usual is found by indexes, however long the history is. */

const asked = { resource: 'job', sinceMs: 1, limit: 10 };
const usage = { spans: [{ sinceMs: 1, untilMs: 2 }], sampleMax: 3, notableMax: 4 };

test('on SQLite no statement of usage reads the history from end to end', async () => {
  const subject = await openSqlite();
  try {
    const statements = [
      sqlite.lockUsageStatement('1', asked),
      sqlite.usageStatement('1', usage),
    ].map(({ sql, values }) => ({ sql: `EXPLAIN QUERY PLAN ${sql}`, values }));
    const plan = (await subject.connection.transaction(statements)).flat().map((row) => row[3]);
    expect(plan.filter((line) => /lock_events|\be\b|\bp\b/.test(String(line)))).not.toEqual([]);
    expect(
      plan.filter(
        (line) => /SCAN (lock_events|e|p)( |$)/.test(String(line)) && !/USING/.test(String(line)),
      ),
    ).toEqual([]);
  } finally {
    await subject.close();
  }
});

describe('on PostgreSQL with a long history', () => {
  let subject: Awaited<ReturnType<typeof openPostgres>>;
  beforeAll(async () => {
    subject = await openPostgres();
    await query(
      subject.url,
      `INSERT INTO lock_events (at, kind, resource, held_ms)
       SELECT 'epoch'::timestamptz + holdfast_span(n * 100), CASE WHEN n % 2 = 0 THEN 'acquired' ELSE 'released' END,
         'job/' || (n % 500), 7
       FROM generate_series(1, 20000) n`,
    );
    await query(subject.url, 'ANALYZE lock_events');
  });
  afterAll(() => subject.close());

  test.each([
    ['one lock', lockUsageStatement, ['job/1', 10, 0]],
    ['all', usageStatement, [[1_000, 2_000], [2_000, 3_000], 10, 10, 1_000, 3_000]],
  ])('the usage of %s reads it by indexes alone', async (_, statement, values) => {
    const rows = await query(subject.url, `EXPLAIN ${statement}`, values);
    const plan = rows.map((row) => String(Object.values(row)[0]));
    expect(plan.filter((line) => line.includes('Index'))).not.toEqual([]);
    expect(plan.filter((line) => line.includes('Seq Scan on lock_events'))).toEqual([]);
  });
});
