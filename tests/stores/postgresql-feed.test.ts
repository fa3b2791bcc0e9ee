import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { feedOrigin, type FeedPosition } from '@/lib/locks/event-feed';

import { poll } from '../support/waiting';
import { drive, fresh, type Driver } from './drive';
import { openPostgres, openSecond } from './postgresql';

/** What only several transactions at once can do to the order of events. */
describe('the feed on PostgreSQL', () => {
  let subject: Awaited<ReturnType<typeof openPostgres>>;
  let at: Driver;
  let other: pg.Client;
  beforeEach(async () => {
    subject = await openPostgres();
    at = drive(subject);
    other = new pg.Client({ connectionString: subject.url });
    await other.connect();
  });
  afterEach(async () => {
    await other.end();
    await subject.close();
  });

  const writeEvent = (resource: string) =>
    other.query(
      `INSERT INTO lock_events (at, kind, resource) VALUES (holdfast_now(), 'acquired', $1)`,
      [resource],
    );

  async function endOf(): Promise<FeedPosition> {
    const { events } = await at.store.feed({ after: null, limit: 1 });
    return events.at(-1)?.position ?? feedOrigin;
  }

  async function namesAfter(after: FeedPosition) {
    const page = await at.store.feed({ after, limit: 100 });
    return page.events.map(({ event }) => event.resource);
  }

  test('waits for a transaction that drew its id before and commits later, and then tells both in order', async () => {
    const start = await endOf();
    const [early, late] = [fresh('early'), fresh('late')];
    await other.query('BEGIN');
    await writeEvent(early);
    await at.grant({ resource: late, owner: 'a' });
    expect(await namesAfter(start)).toEqual([]);
    await other.query('COMMIT');
    expect(await namesAfter(start)).toEqual([early, late]);
  });

  test('never tells of what was rolled back, and goes on behind it', async () => {
    const start = await endOf();
    const [gone, kept] = [fresh('gone'), fresh('kept')];
    await other.query('BEGIN');
    await writeEvent(gone);
    await at.grant({ resource: kept, owner: 'a' });
    await other.query('ROLLBACK');
    expect(await namesAfter(start)).toEqual([kept]);
  });

  test('says for how long events have been waiting for a foreign transaction', async () => {
    await other.query('CREATE TABLE elsewhere (n integer)');
    await other.query('BEGIN');
    await other.query('INSERT INTO elsewhere VALUES (1)');
    await at.grant({ resource: fresh(), owner: 'a' });
    await at.clock.advance(7_000);
    expect((await at.store.feed({ after: feedOrigin, limit: 1 })).lagMs).toBe(7_000);
    expect((await at.store.tally({ after: feedOrigin, limit: 1 })).lagMs).toBe(7_000);
    await other.query('COMMIT');
    expect((await at.store.feed({ after: feedOrigin, limit: 1 })).lagMs).toBe(0);
  });

  test('a long transaction that only reads delays nothing', async () => {
    const start = await endOf();
    await other.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await other.query('SELECT count(*) FROM lock_events');
    const { resource } = await at.grant({ resource: fresh(), owner: 'a' });
    expect(await namesAfter(start)).toEqual([resource]);
    await other.query('COMMIT');
  });

  test('goes on after a restore from a server whose transactions had larger numbers', async () => {
    const before = fresh('before');
    await at.grant({ resource: before, owner: 'a' });
    await other.query(`UPDATE lock_events SET xid = '9000000000000'`);
    const place = { transaction: 9_000_000_000_000, id: 1 };
    const second = await openSecond(subject.url);
    const { resource } = await at.grant({ resource: fresh('after'), owner: 'a' });
    expect(await namesAfter(feedOrigin)).toEqual([before, resource]);
    expect((await at.store.feed({ after: place, limit: 1 })).isKnown).toBe(false);
    await second.close();
  });

  test('another instance is told that there are events', async () => {
    const second = await openSecond(subject.url);
    let told = 0;
    second.watch({ onEvents: () => (told += 1) });
    await poll(
      async () => {
        await at.grant({ resource: fresh(), owner: 'a' });
        return told > 0 ? true : null;
      },
      { withinMs: 20_000, describe: () => 'the other instance has not been told' },
    );
    await second.close();
  });

  test('who wrote is told of it once: its notice comes to the others alone', async () => {
    const second = await openSecond(subject.url);
    const told = { writer: 0, second: 0 };
    at.store.watch({ onEvents: () => (told.writer += 1) });
    second.watch({ onEvents: () => (told.second += 1) });
    let grants = 0;
    await poll(
      async () => {
        await at.grant({ resource: fresh(), owner: 'a' });
        grants += 1;
        return told.second >= 5 ? true : null;
      },
      { withinMs: 20_000, describe: () => 'the other instance has not been told five times' },
    );
    expect(told.writer).toBe(grants);
    await second.close();
  });
});
