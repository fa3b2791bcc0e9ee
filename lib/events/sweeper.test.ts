import { expect, test } from 'vitest';

import { drive, fresh } from '../../tests/stores/drive';
import { openMemoryStore } from '../../tests/stores/memory-under-test';
import { HandClock } from '../../tests/support/hand-clock';
import type { EndedQuery } from '../locks/upkeep';
import { startSweeper } from './sweeper';

/** Sweepers of several processes on one store, with both clocks in the test's hand. */
function setUp() {
  const at = drive(openMemoryStore());
  const waiting = new HandClock();
  const looks: EndedQuery[] = [];
  const troubles: unknown[] = [];
  const failing = { isOn: false };
  const store: typeof at.store = {
    ...at.store,
    endedLeases(query) {
      looks.push(query);
      if (failing.isOn) return Promise.reject(new Error('the store is away'));
      return at.store.endedLeases(query);
    },
  };
  const start = (holder: string) =>
    startSweeper({ store, holder, waiting, onTrouble: (error) => troubles.push(error) });
  const pass = async (ms: number) => {
    await at.clock.advance(ms);
    await waiting.pass(ms);
  };
  return { at, looks, troubles, failing, start, pass };
}

async function ends(at: ReturnType<typeof drive>): Promise<number> {
  return (await at.trail({ kinds: ['expired'] }, { limit: 10_000 })).events.length;
}

test('an end is noted within a second of it', async () => {
  const { at, start, pass } = setUp();
  start('one');
  await at.grant({ resource: fresh(), owner: 'a', ttlMs: 5_500 });
  await pass(5_000);
  expect(await ends(at)).toBe(0);
  await pass(1_000);
  expect(await ends(at)).toBe(1);
});

test('many ends are noted in small batches, one soon after the other', async () => {
  const { at, start, pass } = setUp();
  for (let count = 0; count < 250; count += 1) {
    await at.grant({ resource: fresh(), owner: 'a', ttlMs: 500 });
  }
  start('one');
  await pass(1_000);
  expect(await ends(at)).toBe(100);
  await pass(20);
  expect(await ends(at)).toBe(200);
  await pass(20);
  expect(await ends(at)).toBe(250);
});

test('of several processes each end is noted by one, and another goes on when that one is gone', async () => {
  const { at, start, pass } = setUp();
  const [first] = ['one', 'two', 'three'].map(start);
  for (let count = 0; count < 5; count += 1) {
    await at.grant({ resource: fresh(), owner: 'a', ttlMs: 500 });
  }
  await pass(1_000);
  expect(await ends(at)).toBe(5);
  await first?.stop();
  await at.grant({ resource: fresh(), owner: 'a', ttlMs: 500 });
  await pass(4_000);
  expect(await ends(at)).toBe(5);
  await pass(2_000);
  expect(await ends(at)).toBe(6);
});

test('it looks back a minute, and at times at every row', async () => {
  const { at, looks, start, pass } = setUp();
  const startMs = await at.now();
  start('one');
  await pass(1_000);
  expect(looks.at(-1)?.sinceMs).toBeNull();
  await pass(1_000);
  expect(looks.at(-1)?.sinceMs).toBe(startMs + 1_000 - 60_000);
  looks.length = 0;
  await pass(600_000);
  expect(looks.filter(({ sinceMs }) => sinceMs === null)).toHaveLength(2);
});

test('a store that does not answer is asked again, and told of', async () => {
  const { at, troubles, failing, start, pass } = setUp();
  start('one');
  await at.grant({ resource: fresh(), owner: 'a', ttlMs: 500 });
  failing.isOn = true;
  await pass(3_000);
  expect(troubles).toHaveLength(3);
  failing.isOn = false;
  await pass(1_000);
  expect(await ends(at)).toBe(1);
});

test('one that was stopped notes nothing more', async () => {
  const { at, looks, start, pass } = setUp();
  const sweeper = start('one');
  await pass(1_000);
  await sweeper.stop();
  await at.grant({ resource: fresh(), owner: 'a', ttlMs: 500 });
  looks.length = 0;
  await pass(60_000);
  expect(looks).toEqual([]);
  expect(await ends(at)).toBe(0);
});
