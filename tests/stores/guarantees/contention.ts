import { expect } from 'vitest';

import { contentionLimits, type Denials } from '@/lib/locks/contention';
import type { Lease } from '@/lib/locks/lease';

import { defaultClient, fresh, type Driver } from '../drive';
import { guarantee } from '../store-under-test';

const { askingMs, toldEveryMs, askersMax, askersShownMax } = contentionLimits;

/** What a store remembers of acquires that it denied, and tells of them. */
export const contentionGuarantees = [
  guarantee('who was denied in the last minute asks for the lock, and no longer', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'holder', ttlMs: 600_000 });
    const startMs = await at.now();
    await at.store.noteDenials([denied(lease, startMs, { owner: 'b', attempts: 3 })]);
    await at.clock.advance(askingMs - 1);
    const contention = { attempts: 3, owners: 1, lastOwner: 'b', lastAtMs: startMs };
    expect(await at.inspect(lease.resource)).toEqual({ ...lease, contention });
    const asker = {
      owner: 'b',
      client: defaultClient,
      attempts: 3,
      firstAtMs: startMs,
      lastAtMs: startMs,
    };
    expect(await askers(at, lease.resource)).toEqual([asker]);
    await at.clock.advance(1);
    expect(await at.inspect(lease.resource)).toEqual(lease);
    expect(await askers(at, lease.resource)).toEqual([]);
  }),

  guarantee('what several instances have counted of an owner is added up', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'holder', ttlMs: 600_000 });
    const startMs = await at.now();
    await at.clock.advance(30_000);
    await at.store.noteDenials([denied(lease, startMs + 2_000, { owner: 'b', attempts: 3 })]);
    await at.store.noteDenials([denied(lease, startMs + 1_000, { owner: 'b', attempts: 2 })]);
    expect(await askers(at, lease.resource)).toMatchObject([
      { attempts: 5, firstAtMs: startMs + 1_000, lastAtMs: startMs + 2_000 },
    ]);
  }),

  guarantee('whoever paused for a minute begins to ask anew', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'holder', ttlMs: 600_000 });
    const startMs = await at.now();
    await at.store.noteDenials([denied(lease, startMs, { owner: 'b', attempts: 3 })]);
    await at.store.noteDenials([denied(lease, startMs, { owner: 'c', attempts: 3 })]);
    await at.clock.advance(askingMs);
    const nowMs = await at.now();
    await at.store.noteDenials([denied(lease, nowMs, { owner: 'b', attempts: 1 })]);
    await at.store.noteDenials([denied(lease, nowMs - 1, { owner: 'c', attempts: 1 })]);
    expect(await askers(at, lease.resource)).toMatchObject([
      { owner: 'c', attempts: 4, firstAtMs: startMs },
      { owner: 'b', attempts: 1, firstAtMs: nowMs },
    ]);
  }),

  guarantee('the same owner of two clients, or of none, is several who ask', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'holder' });
    const nowMs = await at.now();
    await at.store.noteDenials(
      ['one', 'other', null].map((client) => denied(lease, nowMs, { owner: 'b', client })),
    );
    const clients = (await askers(at, lease.resource)).map(({ client }) => client);
    expect(clients).toEqual([null, 'one', 'other']);
    expect((await at.inspect(lease.resource))?.contention).toMatchObject({ owners: 3 });
  }),

  guarantee('whoever got the lock asks no more, and the others still do', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'holder' });
    const nowMs = await at.now();
    await at.store.noteDenials([
      denied(lease, nowMs, { owner: 'b' }),
      denied(lease, nowMs, { owner: 'c' }),
    ]);
    await at.release(lease);
    expect(await askers(at, lease.resource)).toHaveLength(2);
    await at.grant({ resource: lease.resource, owner: 'b' });
    expect(await askers(at, lease.resource)).toMatchObject([{ owner: 'c' }]);
    const seen = await at.inspect(lease.resource);
    expect(seen?.contention).toMatchObject({ owners: 1, lastOwner: 'c' });
  }),

  guarantee('the longest to ask are shown, and the latest are known', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'holder', ttlMs: 600_000 });
    const startMs = await at.now();
    await at.clock.advance(30_000);
    const all = Array.from({ length: askersMax + 5 }, (_, place) =>
      denied(lease, startMs + place, { owner: `owner-${String(place).padStart(3, '0')}` }),
    );
    await at.store.noteDenials(all.slice(0, 60));
    await at.store.noteDenials(all.slice(60));
    const shown = (await askers(at, lease.resource)).map(({ owner }) => owner);
    expect(shown).toEqual(all.slice(5, 5 + askersShownMax).map(({ owner }) => owner));
    expect((await at.inspect(lease.resource))?.contention).toEqual({
      attempts: askersMax,
      owners: askersMax,
      lastOwner: 'owner-104',
      lastAtMs: startMs + 104,
    });
  }),

  guarantee('the list finds and counts the locks that so many ask for', async (at) => {
    const prefix = fresh();
    const [none, one, two] = await Promise.all(
      ['none', 'one', 'two'].map((name) => at.grant({ resource: `${prefix}/${name}`, owner: 'a' })),
    );
    if (none === undefined || one === undefined || two === undefined) throw new Error('No lease');
    const nowMs = await at.now();
    await at.store.noteDenials([
      denied(one, nowMs, { owner: 'b', attempts: 7 }),
      denied(one, nowMs, { owner: 'a' }),
      denied(two, nowMs, { owner: 'b' }),
      denied(two, nowMs - 1, { owner: 'c' }),
    ]);
    const found = async (askedMin: number | null) => {
      const page = await at.list({ filter: { resourcePrefix: prefix, askedMin } });
      const names = page.leases.map(({ resource }) => resource.slice(prefix.length + 1));
      return { names: names.sort(), asked: page.counts.asked, active: page.counts.active };
    };
    expect(await found(null)).toEqual({ names: ['none', 'one', 'two'], asked: 2, active: 3 });
    expect(await found(0)).toEqual({ names: ['none', 'one', 'two'], asked: 2, active: 3 });
    expect(await found(1)).toEqual({ names: ['one', 'two'], asked: 2, active: 2 });
    expect(await found(2)).toEqual({ names: ['two'], asked: 1, active: 1 });
    expect(await found(3)).toEqual({ names: [], asked: 0, active: 0 });
    const listed = await at.list({ filter: { resourcePrefix: prefix, askedMin: 2 } });
    expect(listed.leases[0]?.contention).toMatchObject({ attempts: 2, owners: 2, lastOwner: 'b' });
  }),

  guarantee(
    'the history is told of denials at most once in ten seconds, and of all',
    async (at) => {
      const lease = await at.grant({ resource: fresh(), owner: 'holder', ttlMs: 600_000 });
      const note = async (attempts: number) => {
        const nowMs = await at.now();
        await at.store.noteDenials([
          denied(lease, nowMs, { owner: 'b', attempts }),
          denied(lease, nowMs, { owner: 'c', attempts: 1 }),
        ]);
      };
      const told = async () =>
        (await at.history(lease.resource)).filter(({ kind }) => kind === 'contended');
      const startMs = await at.now();
      await note(1);
      await at.clock.advance(toldEveryMs - 1);
      await note(10);
      expect((await told()).map(({ count }) => count)).toEqual([2]);
      await at.clock.advance(1);
      await note(100);
      await at.store.noteDenials([denied(lease, await at.now(), { owner: 'b', attempts: 1_000 })]);
      expect(await told()).toMatchObject([
        { count: 2, atMs: startMs },
        { count: 112, atMs: startMs + toldEveryMs, owner: 'holder', client: defaultClient },
      ]);
      await at.clock.advance(toldEveryMs);
      await at.store.tidyDenials();
      await at.store.tidyDenials();
      expect((await told()).map(({ count }) => count)).toEqual([2, 112, 1_000]);
      expect((await told()).at(-1)).toMatchObject({
        fencingToken: lease.fencingToken,
        actor: null,
      });
    },
  ),

  guarantee(
    'what is of no use any more is forgotten, and tidying up says when it is done',
    async (at) => {
      const lease = await at.grant({ resource: fresh(), owner: 'holder' });
      const nowMs = await at.now();
      expect(await at.store.tidyDenials()).toBe('never');
      await at.store.noteDenials([denied(lease, nowMs, { owner: 'b' })]);
      await at.clock.advance(askingMs - 1);
      expect(await at.store.tidyDenials()).toBe('later');
      await at.clock.advance(1);
      expect(await at.store.tidyDenials()).toBe('never');
      const [, ...told] = await at.history(lease.resource);
      expect(told).toHaveLength(1);
    },
    { wantsOwnStore: true },
  ),
];

async function askers(at: Driver, resource: string) {
  return (await at.store.askers(resource)).outcome;
}

/** One attempt of the default client at this moment, unless told otherwise. */
function denied(lease: Lease, atMs: number, more: Partial<Denials>): Denials {
  const { resource, owner, client, fencingToken } = lease;
  return {
    resource,
    owner: 'b',
    client: defaultClient,
    attempts: 1,
    firstAtMs: atMs,
    lastAtMs: atMs,
    holder: { owner, client, fencingToken },
    ...more,
  };
}
