import { beforeAll, describe, expect, inject, test } from 'vitest';

import { migrations } from '@/generated/migrations-postgresql';
import type { EventsFilter, EventsQuery } from '@/lib/locks/trail';
import { readEventsSql } from '@/lib/store/postgresql/statements';

import { createDatabase, query } from '../support/postgres-cluster';
import { trailOf } from './drive';
import { manyEventsSql, middle, singleFilters } from './many-events';

describe('the history on PostgreSQL', () => {
  let url: string;
  beforeAll(async () => {
    url = await createDatabase(inject('postgresUrl'));
    for (const { sql } of migrations) await query(url, sql);
    await query(url, manyEventsSql);
    await query(url, 'ANALYZE lock_events');
    // Of a few rows a sort may be cheaper; what is asked here is whether there is a way without one.
    for (const way of ['seqscan', 'sort', 'bitmapscan']) {
      await query(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET enable_${way} = off`);
    }
  }, 120_000);

  async function planOf(
    filter: Partial<EventsFilter>,
    more: Partial<EventsQuery>,
  ): Promise<string> {
    const { sql, values } = readEventsSql(trailOf(filter, more));
    const rows = await query(url, `EXPLAIN ${sql}`, [...values]);
    return rows.map((row) => String(row['QUERY PLAN'])).join('\n');
  }

  test.each(singleFilters)(
    'is read by $index, newest first, without a sort: $title',
    async ({ filter, index }) => {
      const after = middle;
      for (const more of [{}, { after }]) {
        const plan = await planOf(filter, more);
        expect(plan).not.toMatch(/Seq Scan|Sort|Bitmap/);
        expect(plan).toContain(index);
        const used = [...plan.matchAll(/(?:using|on) (lock_events_\w+)/g)].map(([, name]) => name);
        expect(new Set(used)).toEqual(new Set([index]));
      }
    },
  );
});
