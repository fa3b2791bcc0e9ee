import { expect } from 'vitest';

import { lockStats, stats } from '@/lib/locks/stats';
import { defaultLockSettings } from '@/lib/locks/limits';

import { fresh, type Driver } from '../drive';
import { guarantee } from '../store-under-test';

/** What the history tells of usage, of one lock and over all. */
export const usageGuarantees = [
  guarantee('the usage of a lock tells holds, losses, denials and forced ends', async (at) => {
    const resource = fresh();
    await useLock(at, resource);
    expect(await lockStats(context(at), resource)).toMatchObject({
      acquires: 4,
      denials: 7,
      lostLeases: 1,
      forcedReleases: 1,
      heldMs: [2_000, 5_000, 1_000],
      isComplete: true,
    });
    expect(await lockStats(context(at), fresh())).toMatchObject({
      acquires: 0,
      heldMs: [],
      renewEveryMs: null,
    });
  }),

  guarantee('usage is told in buckets, of the resources that a caller may see', async (at) => {
    const prefix = fresh();
    const startMs = await goToOwnTime(at);
    await useLock(at, `${prefix}/a`);
    await at.clock.advance(60_000);
    const last = await at.grant({ resource: `${prefix}/b`, owner: 'a', ttlMs: 600_000 });
    await at.clock.advance(500);
    await at.release(last);

    const wanted = { since: { atMs: startMs }, untilMs: startMs + 120_000 };
    const visible = [{ kind: 'prefix', prefix }] as const;
    const found = await stats(context(at), { ...wanted, visible });
    expect(found).toMatchObject({
      acquires: 5,
      denials: 7,
      lostLeases: 1,
      forcedReleases: 1,
      bucketMs: 10_000,
      isEstimated: false,
      topContended: [{ resource: `${prefix}/a`, denials: 7, lostLeases: 1 }],
    });
    expect([...found.heldMs].sort((a, b) => a - b)).toEqual([500, 1_000, 2_000, 5_000]);
    const acquires = found.buckets.map((bucket) => bucket.acquires);
    expect(acquires).toEqual([4, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0]);
    expect(found.buckets[1]?.atMs).toBe(startMs + 10_000);

    const other = await stats(context(at), {
      ...wanted,
      visible: [{ kind: 'exact', name: `${prefix}/b` }],
    });
    expect(other).toMatchObject({ acquires: 1, denials: 0, lostLeases: 0, heldMs: [500] });
  }),

  guarantee('usage looks at so many events of a time and no more', async (at) => {
    const prefix = fresh();
    const startMs = await goToOwnTime(at);
    for (const name of ['a', 'b', 'c', 'd']) {
      await at.grant({ resource: `${prefix}/${name}`, owner: 'a' });
    }
    const spans = [
      { sinceMs: startMs, untilMs: startMs + 1 },
      { sinceMs: startMs + 1, untilMs: startMs + 2 },
    ];
    const { outcome } = await at.store.usage({ spans, sampleMax: 3, notableMax: 1 });
    expect(outcome.spans.map(({ events, sample }) => [events, sample.length])).toEqual([
      [4, 3],
      [0, 0],
    ]);
    const limited = await at.store.lockUsage({ resource: `${prefix}/a`, sinceMs: 0, limit: 0 });
    expect(limited.outcome).toEqual([]);
  }),
];

/** To a time that no other test has events in: some set the clock back, and others share the store. */
async function goToOwnTime(at: Driver): Promise<number> {
  await at.clock.advance(400 * 24 * 60 * 60 * 1000 + Math.floor(Math.random() * 1e9));
  return at.now();
}

/** Four leases within ten seconds: released after 1 s, run out after 5 s and claimed, forced after 2 s, and the last. */
async function useLock(at: Driver, resource: string): Promise<void> {
  const first = await at.grant({ resource, owner: 'a', ttlMs: 5_000 });
  await at.clock.advance(1_000);
  await at.release(first);
  const second = await at.grant({ resource, owner: 'b', ttlMs: 5_000 });
  const nowMs = await at.now();
  await at.store.noteDenials([
    {
      ...{ resource, owner: 'x', client: null, attempts: 7, firstAtMs: nowMs, lastAtMs: nowMs },
      holder: { owner: second.owner, client: null, fencingToken: second.fencingToken },
    },
  ]);
  await at.clock.advance(5_500);
  const third = await at.grant({ resource, owner: 'c', ttlMs: 60_000 });
  await at.clock.advance(2_000);
  await at.forceRelease(third);
  await at.grant({ resource, owner: 'd', ttlMs: 600_000 });
}

function context({ store }: Driver) {
  return { store, settings: defaultLockSettings, monotonicMs: () => performance.now() };
}
