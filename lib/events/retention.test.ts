import { expect, test } from 'vitest';

import { drive, fresh } from '../../tests/stores/drive';
import { openMemoryStore } from '../../tests/stores/memory-under-test';
import { HandClock } from '../../tests/support/hand-clock';
import type { ForgetCall } from '../locks/upkeep';
import { startRetention } from './retention';

const dayMs = 24 * 60 * 60 * 1_000;
const passMs = 600_000;

function setUp() {
  const at = drive(openMemoryStore());
  const waiting = new HandClock();
  const seen = { batches: [] as ForgetCall[], more: 0, troubles: 0 };
  const failing = { isOn: false };
  const store: typeof at.store = {
    ...at.store,
    async forgetOld(call) {
      seen.batches.push(call);
      if (failing.isOn) throw new Error('the store is away');
      return at.store.forgetOld(call);
    },
  };
  const start = (holder = 'one') =>
    startRetention({
      store,
      holder,
      retentionMs: dayMs,
      forgetMore: async () => {
        seen.more += 1;
        return Promise.resolve();
      },
      waiting,
      onTrouble: () => (seen.troubles += 1),
    });
  const left = async () => (await at.trail({}, { limit: 10_000 })).events.length;
  return { at, waiting, seen, failing, start, left };
}

test('what is old is removed in batches with pauses, and then looked for again', async () => {
  const { at, waiting, seen, start, left } = setUp();
  const resource = fresh();
  for (let count = 0; count < 225; count += 1) {
    await at.release(await at.grant({ resource, owner: 'a' }));
  }
  await at.clock.advance(dayMs + 1);
  await at.grant({ resource, owner: 'a' });
  start();
  await waiting.pass(60_000);
  expect(await left()).toBe(251);
  expect(waiting.nextMs).toBeGreaterThanOrEqual(50);
  await waiting.pass(1_000);
  expect(await left()).toBe(1);
  expect(seen.batches).toHaveLength(3);
  await waiting.pass(passMs);
  expect(seen.batches).toHaveLength(4);
  expect(seen.batches.at(-1)?.after).toBeNull();
  expect(seen.more).toBe(2);
});

test('rows go on being removed after the last of the events', async () => {
  const { at, waiting, start } = setUp();
  const leases = [];
  for (let count = 0; count < 450; count += 1) {
    leases.push(await at.grant({ resource: fresh(), owner: 'a', ttlMs: 100 }));
  }
  await at.clock.advance(100);
  await at.store.noteEnds({ holder: 'one', turnMs: 1, leases });
  await at.clock.advance(dayMs + 1);
  start();
  await waiting.pass(61_000);
  expect((await at.list({ filter: {}, state: 'all' })).counts.expired).toBe(0);
});

test('of two processes one removes', async () => {
  const { at, waiting, seen, start } = setUp();
  await at.release(await at.grant({ resource: fresh(), owner: 'a' }));
  await at.clock.advance(2 * dayMs);
  start('one');
  start('two');
  await waiting.pass(120_000);
  expect(seen.batches.map(({ holder }) => holder)).toEqual(['one', 'two']);
});

test('a store that does not answer is told of, and asked again with the next pass', async () => {
  const { waiting, seen, failing, start } = setUp();
  start();
  failing.isOn = true;
  await waiting.pass(60_000);
  expect(seen).toMatchObject({ troubles: 1 });
  failing.isOn = false;
  await waiting.pass(passMs);
  expect(seen.batches).toHaveLength(2);
  expect(seen.troubles).toBe(1);
});

test('one that was stopped removes nothing more', async () => {
  const { waiting, seen, start } = setUp();
  const retention = start();
  await retention.stop();
  await waiting.pass(10 * passMs);
  expect(seen.batches).toEqual([]);
});
