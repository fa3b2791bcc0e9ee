import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

import { migrations } from '@/generated/migrations-postgresql';

import { createDatabase, query } from '../support/postgres-cluster';
import { createRandom } from '../support/random';

/** What the functions in the database promise to any number of sessions, asked of them directly. */
describe('in PostgreSQL', () => {
  let url: string;
  const sessions: pg.Client[] = [];
  beforeAll(async () => {
    url = await createDatabase(inject('postgresUrl'));
    for (const { sql } of migrations) await query(url, sql);
  });
  afterAll(async () => {
    await Promise.all(sessions.map((session) => session.end()));
  });

  async function newSession(): Promise<pg.Client> {
    const session = new pg.Client({ connectionString: url });
    await session.connect();
    sessions.push(session);
    return session;
  }

  test('of two grants of a free name the later one has the larger token, whoever gave up in between', async () => {
    const random = createRandom('grants of a free name');
    const [first, ...others] = await Promise.all(Array.from({ length: 7 }, newSession));
    if (first === undefined) throw new Error('There is no session');
    for (let round = 0; round < 60; round += 1) {
      const resource = `free-${round}`;
      await first.query('BEGIN');
      await acquire(first, [resource], 'first');
      // They wait for the first, which gives its grant up; then each in turn is granted and releases.
      const waiting = others.map(async (session, index) => {
        const owner = `other-${index}`;
        while (!(await acquire(session, [resource], owner))[0]) await session.query('SELECT 1');
        await release(session, resource, owner);
      });
      await first.query('SELECT pg_sleep($1)', [random.next() / 200]);
      await first.query('ROLLBACK');
      await Promise.all(waiting);
    }
    const grants = await query(
      url,
      `SELECT resource, fencing_token::integer AS token FROM lock_events WHERE kind = 'acquired' ORDER BY id`,
    );
    expect(grants).toHaveLength(60 * others.length);
    const latest = new Map<unknown, number>();
    for (const { resource, token } of grants) {
      expect(Number(token)).toBeGreaterThan(latest.get(resource) ?? 0);
      latest.set(resource, Number(token));
    }
  });

  test('groups that name the same locks in any order do not deadlock', async () => {
    const random = createRandom('groups in any order');
    const crowd = await Promise.all(Array.from({ length: 6 }, newSession));
    const names = Array.from({ length: 12 }, (_, index) => `ordered-${index}`);
    await Promise.all(
      crowd.map(async (session, index) => {
        for (let round = 0; round < 80; round += 1) {
          const shuffled = [...names].sort(() => random.next() - 0.5);
          const owner = `owner-${index}`;
          const granted = await acquire(session, shuffled, owner);
          const own = shuffled.filter((_, seat) => granted[seat]);
          await renew(session, shuffled, owner);
          for (const resource of own) await release(session, resource, owner);
        }
      }),
    );
    const [deadlocks] = await query(
      url,
      'SELECT deadlocks::integer AS n FROM pg_stat_database WHERE datname = current_database()',
    );
    expect(deadlocks).toEqual({ n: 0 });
  });

  test('a grant that had to wait for a row lasts its whole TTL, and an expiry during the wait counts', async () => {
    const [holder, waiter] = [await newSession(), await newSession()];
    await acquire(holder, ['waited-for'], 'before', 50);
    await holder.query('SELECT pg_sleep(0.1)');
    await holder.query('BEGIN');
    await holder.query(`SELECT 1 FROM distributed_locks WHERE resource = 'waited-for' FOR UPDATE`);
    const granting = acquire(waiter, ['waited-for'], 'after', 5_000);
    await holder.query('SELECT pg_sleep(0.4)');
    const { rows } = await holder.query<{ at: Date }>('SELECT clock_timestamp() AS at');
    await holder.query('COMMIT');
    expect(await granting).toEqual([true]);
    const [lock] = await query(
      url,
      `SELECT owner, acquired_at, expires_at FROM distributed_locks WHERE resource = 'waited-for'`,
    );
    expect(lock?.['owner']).toBe('after');
    const acquiredAt = lock?.['acquired_at'] as Date;
    expect(acquiredAt.getTime()).toBeGreaterThanOrEqual(Math.trunc(rows[0]?.at.getTime() ?? 0));
    expect((lock?.['expires_at'] as Date).getTime() - acquiredAt.getTime()).toBe(5_000);
  });

  test('a renewal that had to wait beyond the expiry is refused', async () => {
    const [holder, waiter] = [await newSession(), await newSession()];
    await acquire(waiter, ['over-by-then'], 'owner', 200);
    await holder.query('BEGIN');
    await holder.query(
      `SELECT 1 FROM distributed_locks WHERE resource = 'over-by-then' FOR UPDATE`,
    );
    const renewing = renew(waiter, ['over-by-then'], 'owner');
    await holder.query('SELECT pg_sleep(0.4)');
    await holder.query('COMMIT');
    expect(await renewing).toEqual(['expired']);
  });

  test('whoever waits too long for a row or a name is told so, and nothing is written', async () => {
    const [holder, waiter] = [await newSession(), await newSession()];
    await holder.query('BEGIN');
    await acquire(holder, ['kept'], 'holder');
    await expect(acquire(waiter, ['kept', 'other'], 'waiter', 1_000, 100)).rejects.toMatchObject({
      code: '55P03',
    });
    await holder.query('COMMIT');
    expect(await query(url, `SELECT 1 FROM distributed_locks WHERE resource = 'other'`)).toEqual(
      [],
    );
  });

  test('a transaction that sees only what was before it began grants nothing', async () => {
    const session = await newSession();
    await session.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await expect(acquire(session, ['isolated'], 'owner')).rejects.toThrow('read committed');
    await session.query('ROLLBACK');
  });
});

/** Whether each was granted, in the order of the names. */
async function acquire(
  session: pg.Client,
  resources: readonly string[],
  owner: string,
  ttlMs = 60_000,
  waitMs = 20_000,
): Promise<boolean[]> {
  const none = resources.map(() => null);
  const entries = await call(session, 'acquire', [
    resources,
    resources.map(() => owner),
    none,
    resources.map(() => ttlMs),
    none,
    none,
    waitMs,
  ]);
  return inSeats(entries).map((granted) => granted === 1);
}

/** What became of each, in the order of the names. */
async function renew(
  session: pg.Client,
  resources: readonly string[],
  owner: string,
): Promise<unknown[]> {
  const none = resources.map(() => null);
  const owners = resources.map(() => owner);
  const ttls = resources.map(() => 60_000);
  return inSeats(await call(session, 'renew', [resources, owners, none, ttls, none, none, 20_000]));
}

async function release(session: pg.Client, resource: string, owner: string): Promise<void> {
  await call(session, 'release', [[resource], [owner], [null], [null], [null], 20_000]);
}

type Entry = readonly [seat: number, verdict: unknown, ...rest: unknown[]];

async function call(session: pg.Client, verb: string, values: unknown[]): Promise<Entry[]> {
  const places = values.map((_, index) => `$${index + 1}`).join(', ');
  const { rows } = await session.query<{ report: [number, Entry[]] }>(
    `SELECT holdfast_${verb}(${places}) AS report`,
    values,
  );
  return rows[0]?.report[1] ?? [];
}

function inSeats(entries: readonly Entry[]): unknown[] {
  return [...entries].sort(([one], [other]) => one - other).map(([, verdict]) => verdict);
}
