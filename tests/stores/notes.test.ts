import { afterEach, describe, expect, test } from 'vitest';

import type { LockStore } from '@/lib/locks/lock-store';
import { withNotes } from '@/lib/store/notes';

import { query } from '../support/postgres-cluster';
import { drive, fresh, type Driver } from './drive';
import { openPostgres } from './postgresql';
import { openSqlite } from './sqlite';
import type { StoreUnderTest } from './store-under-test';

/** What is counted in memory and written in groups, on real databases, with the waiting in the test's hand. */

/** Timers that fire when the test says so. */
function handWaiting() {
  let timers: { ms: number; run: () => void }[] = [];
  return {
    after(ms: number, run: () => void) {
      const timer = { ms, run };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    /** Fires those that wait this long, and no others. */
    fire(ms: number) {
      const due = timers.filter((timer) => timer.ms === ms);
      timers = timers.filter((timer) => timer.ms !== ms);
      for (const { run } of due) run();
      return due.length;
    },
  };
}

const gatherMs = 1_000;

interface Opened {
  readonly subject: StoreUnderTest;
  /** A number that grows with everything that is written. */
  readonly writes: () => Promise<number>;
}

async function onSqlite(): Promise<Opened> {
  const subject = await openSqlite();
  const writes = async () => {
    const [rows] = await subject.connection.transaction([
      { sql: 'SELECT total_changes()', values: [] },
    ]);
    return Number(rows?.[0]?.[0]);
  };
  return { subject, writes };
}

async function onPostgres(): Promise<Opened> {
  const subject = await openPostgres();
  const writes = async () => {
    // A transaction that writes takes a number, and one that only reads takes none.
    const [row] = await query(
      subject.url,
      'SELECT pg_snapshot_xmax(pg_current_snapshot()) AS next',
    );
    return Number(row?.['next']);
  };
  return { subject, writes };
}

const opened: StoreUnderTest[] = [];
afterEach(async () => {
  for (const subject of opened.splice(0)) await subject.close();
});

async function start(open: () => Promise<Opened>) {
  const { subject, writes } = await open();
  opened.push(subject);
  const waiting = handWaiting();
  const lost: unknown[] = [];
  const store = withNotes(subject.store, { waiting, onLost: (error) => lost.push(error) });
  return { at: drive({ ...subject, store }), subject, waiting, writes, lost };
}

async function denyMany(at: Driver, resource: string, attempts: number): Promise<void> {
  const outcomes = await Promise.all(
    Array.from({ length: attempts }, (_, attempt) =>
      at.acquire({ resource, owner: `owner-${attempt % 5}` }),
    ),
  );
  expect(outcomes.filter(({ kind }) => kind === 'held')).toHaveLength(attempts);
}

describe.each([
  { database: 'SQLite', open: onSqlite },
  { database: 'PostgreSQL', open: onPostgres },
])('denied acquires on $database', ({ open }) => {
  test('1,000 of them write nothing, and what was counted is written in one group', async () => {
    const { at, waiting, writes } = await start(open);
    const resource = fresh();
    await at.grant({ resource, owner: 'holder' });
    const before = await writes();
    await denyMany(at, resource, 1_000);
    expect(await writes()).toBe(before);
    expect((await at.inspect(resource))?.contention).toBeUndefined();

    expect(waiting.fire(gatherMs)).toBe(1);
    await expect
      .poll(async () => (await at.inspect(resource))?.contention)
      .toMatchObject({ attempts: 1_000, owners: 5 });
    const history = (await at.history(resource)).map(({ kind, count }) => [kind, count]);
    expect(history).toEqual([
      ['acquired', null],
      ['contended', 1_000],
    ]);
    // Nothing was denied since, so that nothing waits to be written.
    expect(waiting.fire(gatherMs)).toBe(0);
  });

  test('are written when the store closes', async () => {
    const { subject } = await start(open);
    const noted: number[] = [];
    const watched: LockStore = {
      ...subject.store,
      async noteDenials(denials) {
        await subject.store.noteDenials(denials);
        noted.push(denials.length);
      },
    };
    const store = withNotes(watched, { waiting: handWaiting(), onLost: () => undefined });
    const at = drive({ ...subject, store });
    const resource = fresh();
    await at.grant({ resource, owner: 'holder' });
    await at.acquire({ resource, owner: 'b' });
    await store.close();
    expect(noted).toEqual([1]);
  });

  test('that could not be written harm no call', async () => {
    const { subject } = await start(open);
    const waiting = handWaiting();
    const lost: unknown[] = [];
    const failing: LockStore = {
      ...subject.store,
      noteDenials: () => Promise.reject(new Error('no room')),
      tidyDenials: () => Promise.reject(new Error('no room')),
    };
    const store = withNotes(failing, { waiting, onLost: (error) => lost.push(error) });
    const at = drive({ ...subject, store });
    const lease = await at.grant({ resource: fresh(), owner: 'holder' });
    await at.acquire({ resource: lease.resource, owner: 'b' });
    waiting.fire(gatherMs);
    waiting.fire(10_000);
    await expect.poll(() => lost.length).toBe(2);
    expect((await at.renew(lease)).kind).toBe('renewed');
    expect((await at.acquire({ resource: lease.resource, owner: 'b' })).kind).toBe('held');
    expect(waiting.fire(gatherMs)).toBe(1);
  });
});
