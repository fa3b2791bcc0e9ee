import { setImmediate as turn } from 'node:timers/promises';

import { describe, expect, test } from 'vitest';

import type { LockStore } from '@/lib/locks/lock-store';

import { contentionFaults } from './broken/contention-faults';
import { feedFaults } from './broken/feed-faults';
import { leaseFaults } from './broken/lease-faults';
import { listFaults } from './broken/list-faults';
import { operatorFaults } from './broken/operator-faults';
import { unlockRace } from './broken/unlock-race';
import { guarantees, type Guarantee } from './conformance';
import { openMemoryStore, type MemoryParts } from './memory-under-test';

const brokenStores = [
  ...leaseFaults,
  unlockRace,
  ...operatorFaults,
  ...listFaults,
  ...contentionFaults,
  ...feedFaults,
];

/** Which of these guarantees a store does not keep. Each is tried on a store of its own. */
async function brokenOf(
  tried: readonly Guarantee[],
  vary: (parts: MemoryParts) => LockStore,
): Promise<string[]> {
  const broken: string[] = [];
  for (const promise of tried) {
    const subject = openMemoryStore(vary);
    try {
      await promise.run(subject);
    } catch {
      broken.push(promise.name);
    } finally {
      await subject.close();
    }
  }
  return broken;
}

describe('the guarantees', () => {
  test('have names that differ', () => {
    const names = guarantees.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });

  test('are all kept by a correct store that answers later', async () => {
    expect(await brokenOf(guarantees, ({ store }) => answeringLater(store))).toEqual([]);
  });

  for (const { name, vary, caughtBy } of brokenStores) {
    test(`catch a store that ${name}`, async () => {
      const expected = guarantees.filter((promise) => caughtBy.includes(promise.name));
      expect(await brokenOf(expected, vary)).toEqual(expected.map((promise) => promise.name));
      expect(expected).toHaveLength(caughtBy.length);
    });
  }
});

/** Each call is decided some turns of the event loop after it was made, later ones sometimes before earlier ones. */
function answeringLater(store: LockStore): LockStore {
  let calls = 0;
  const later = async <T>(run: () => Promise<T>): Promise<T> => {
    calls += 1;
    for (let turns = (calls * 7) % 4; turns > 0; turns -= 1) await turn();
    const outcome = await run();
    await turn();
    return outcome;
  };
  return {
    acquire: (call) => later(() => store.acquire(call)),
    renew: (call) => later(() => store.renew(call)),
    release: (call) => later(() => store.release(call)),
    inspect: (resource) => later(() => store.inspect(resource)),
    list: (query) => later(() => store.list(query)),
    forceRelease: (calls_) => later(() => store.forceRelease(calls_)),
    hold: (call) => later(() => store.hold(call)),
    askRelease: (call) => later(() => store.askRelease(call)),
    noteDenials: (denials) => later(() => store.noteDenials(denials)),
    noteRenewals: (notes) => later(() => store.noteRenewals(notes)),
    tidyDenials: () => later(() => store.tidyDenials()),
    askers: (resource) => later(() => store.askers(resource)),
    lockUsage: (query) => later(() => store.lockUsage(query)),
    usage: (query) => later(() => store.usage(query)),
    events: (query) => later(() => store.events(query)),
    endedLeases: (query) => later(() => store.endedLeases(query)),
    noteEnds: (call) => later(() => store.noteEnds(call)),
    forgetOld: (call) => later(() => store.forgetOld(call)),
    feed: (query) => later(() => store.feed(query)),
    tally: (query) => later(() => store.tally(query)),
    watch: (watcher) => store.watch(watcher),
    ping: () => later(() => store.ping()),
    close: () => store.close(),
  };
}
