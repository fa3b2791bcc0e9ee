import { describe, expect, it } from 'vitest';

import { listSortFields, type ListQuery } from '@/lib/locks/lock-store';
import type { Statement } from '@/lib/store/sqlite/lock-file';
import * as lease from '@/lib/store/sqlite/statements/lease';
import { listStatement } from '@/lib/store/sqlite/statements/list';
import * as operator from '@/lib/store/sqlite/statements/operator';
import { createParts, sqliteClock } from '@/lib/store/sqlite/statements/parts';

import { openSqlite } from './sqlite';

const parts = createParts(sqliteClock);
const verbs = {
  acquire: lease.acquireStatements(parts),
  renew: lease.renewStatements(parts),
  release: lease.releaseStatements(parts),
  'force-release': operator.forceReleaseStatements(parts),
  hold: operator.holdStatements(parts),
  'ask-release': operator.askReleaseStatements(parts),
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
          listStatement({ ...everything, sortField, isDescending }, sqliteClock, false),
        ]);
        expect(plan.filter((line) => line.includes('TEMP B-TREE'))).toEqual([]);
      }
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
