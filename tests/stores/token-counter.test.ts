import pg from 'pg';
import { describe, expect, test } from 'vitest';

import { openPostgresCounter } from '@/lib/store/postgresql/token-counter';
import { raisedFrom, tokenMax } from '@/lib/store/token-counter';

import { query } from '../support/postgres-cluster';
import { poll } from '../support/waiting';
import { openPostgres } from './postgresql';

describe('the token counter of PostgreSQL', () => {
  test('counts every one of many raises at once', async () => {
    const store = await openPostgres();
    const { url } = store;
    const counters = Array.from({ length: 4 }, () =>
      openPostgresCounter({ url, connectMsMax: 10_000 }),
    );
    const raises = counters.flatMap((counter) =>
      Array.from({ length: 25 }, () => counter.raise({ by: 1000 })),
    );
    const raised = await Promise.all(raises);
    expect(new Set(raised.map((each) => each?.after)).size).toBe(raises.length);
    expect(await counters[0]?.read()).toBe(1000 * raises.length);
    await Promise.all(counters.map((counter) => counter.close()));
    await store.close();
  });

  test('waits for a grant that has drawn a token and is not committed', async () => {
    const store = await openPostgres();
    const { url } = store;
    const grant = new pg.Client({ connectionString: url });
    await grant.connect();
    await grant.query('BEGIN');
    await grant.query(`SELECT nextval('fencing_tokens')`);
    const counter = openPostgresCounter({ url, connectMsMax: 10_000 });
    const raised = counter.raise({ by: 1000 });
    const waiting = `SELECT 1 FROM pg_locks WHERE relation = 'fencing_tokens'::regclass AND NOT granted`;
    await poll(async () => ((await query(url, waiting)).length === 1 ? true : null), {
      withinMs: 10_000,
      describe: () => 'the raise does not wait',
    });
    await grant.query(`SELECT nextval('fencing_tokens')`);
    await grant.query('COMMIT');
    expect(await raised).toEqual({ before: 2, after: 1002 });
    await grant.end();
    await counter.close();
    await store.close();
  });
});

test('a raise is exact at the largest token', () => {
  expect(raisedFrom(1, { by: tokenMax - 1 })).toBe(tokenMax);
  expect(raisedFrom(2, { by: tokenMax - 1 })).toBeNull();
  expect(raisedFrom(tokenMax, { to: tokenMax })).toBe(tokenMax);
  expect(raisedFrom(tokenMax, { by: 1 })).toBeNull();
});
