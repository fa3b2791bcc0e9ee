import { describe, expect, it, test } from 'vitest';

import { listSortFields, type ListQuery } from '@/lib/locks/lock-store';
import type { Statement } from '@/lib/store/sqlite/lock-file';
import { readEventsStatement } from '@/lib/store/sqlite/statements/events';
import * as lease from '@/lib/store/sqlite/statements/lease';
import { listStatement } from '@/lib/store/sqlite/statements/list';
import * as operator from '@/lib/store/sqlite/statements/operator';
import { createParts, sqliteClock } from '@/lib/store/sqlite/statements/parts';

import {
  endedStatement,
  forgetStatements,
  noteEndsStatements,
} from '@/lib/store/sqlite/statements/upkeep';

import { trailOf } from './drive';
import { middle, singleFilters } from './many-events';
import { openSqlite } from './sqlite';

const parts = createParts(sqliteClock);
const verbs = {
  acquire: lease.acquireStatements(parts),
  renew: lease.renewStatements(parts),
  release: lease.releaseStatements(parts),
  'force-release': operator.forceReleaseStatements(parts),
  hold: operator.holdStatements(parts),
  'ask-release': operator.askReleaseStatements(parts),
  'note-ends': noteEndsStatements(parts),
};

describe('the SQLite statements', () => {
  it.each(Object.entries(verbs))(
    'of %s find each row by an index, however many there are',
    async (_, verb) => {
      const statements = verb.statements({ riders: '[]', changeId: 'change' });
      expect(await tablesScanned(statements)).toEqual([]);
    },
  );

  it('of inspect find the row by an index', async () => {
    expect(await tablesScanned([lease.inspectStatement(sqliteClock, 'job')])).toEqual([]);
  });

  it('of a page by expiry or by name read no more rows than the page holds', async () => {
    for (const sortField of listSortFields.filter(
      (field) => field === 'expires_at' || field === 'resource',
    )) {
      for (const isDescending of [false, true]) {
        const plan = await planOf([
          listStatement({ ...everything, sortField, isDescending }, sqliteClock, 'up-to-exact'),
        ]);
        expect(plan.filter((line) => line.includes('TEMP B-TREE'))).toEqual([]);
      }
    }
  });
});

describe('the history on SQLite', () => {
  test.each(singleFilters)(
    'is read by $index, newest first, without a sort: $title',
    async ({ filter, index }) => {
      const after = middle;
      for (const more of [{}, { after }]) {
        const plan = await planOf([readEventsStatement(trailOf(filter, more))]);
        expect(plan.filter((line) => line.includes('TEMP B-TREE'))).toEqual([]);
        const reads = plan.filter((line) => /^(?:SCAN|SEARCH) e\b/.test(line));
        const used = reads.map((line) => /INDEX (\w+)/.exec(line)?.[1]).filter(Boolean);
        expect(new Set(used)).toEqual(new Set([index]));
      }
    },
  );

  test('is looked through for what is old, and rows for what is over, by an index', async () => {
    const call = { holder: 'one', turnMs: 1, retentionMs: 1, batchMax: 10, after: null };
    expect(await tablesScanned(forgetStatements(call, sqliteClock))).toEqual([]);
    for (const sinceMs of [null, 5]) {
      const plan = await planOf([endedStatement({ sinceMs, limit: 10 }, sqliteClock)]);
      expect(plan.filter((line) => line.includes('TEMP B-TREE'))).toEqual([]);
      expect(plan.join()).toContain('SEARCH l USING INDEX distributed_locks_expires_at_id_idx');
    }
  });
});

const everything: ListQuery = {
  state: 'all',
  condition: null,
  filter: {
    text: null,
    resourcePrefix: null,
    owner: null,
    ownerPrefix: null,
    client: null,
    fencingToken: null,
    visible: null,
    askedMin: null,
  },
  sortField: 'expires_at',
  isDescending: false,
  limit: 100,
  after: null,
};

/** The large tables that a statement reads from end to end. Of `evicted_leases` only people make rows, for one day. */
async function tablesScanned(statements: readonly Statement[]): Promise<readonly string[]> {
  const plan = await planOf(statements);
  return plan.filter((line) => /^SCAN (?:l|later|distributed_locks|lock_events)\b/.test(line));
}

async function planOf(statements: readonly Statement[]): Promise<readonly string[]> {
  const subject = await openSqlite();
  try {
    const explained = await subject.connection.transaction(
      statements.map(({ sql, values }) => ({ sql: `EXPLAIN QUERY PLAN ${sql}`, values })),
    );
    return explained.flatMap((rows) => rows.map((row) => String(row[3])));
  } finally {
    await subject.close();
  }
}
