import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

import { createApi, outcomeOf, refusedFields, type Api } from '../support/api';
import { everywhere, fresh, grantShort, untilExpired } from '../support/both-doors';
import { adminEnvironment, bearer } from '../support/callers';
import { startInstances, type Instances } from '../support/instances';
import { signIn } from '../support/people';
import { createDatabase } from '../support/postgres-cluster';
import { poll } from '../support/waiting';

/** Denied acquires as callers and operators see them, within a second or so. */

const patience = { withinMs: 30_000, everyMs: 100 };

async function deny(api: Api, resource: string, owner: string, times = 1): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const answer = await api.call('acquire', { resource, body: { owner, ttl_ms: 60_000 } });
    expect(answer.value().acquired).toBe(false);
  }
}

const contentionOf = async (api: Api, resource: string) =>
  (await api.call('inspect', { resource })).value().lock.contention;

/** The contention of a lock once so many attempts are known. */
function whenDenied(api: Api, resource: string, attempts: number) {
  return poll(
    async () => {
      const contention = await contentionOf(api, resource);
      return contention?.attempts === attempts ? contention : null;
    },
    { ...patience, describe: () => `${attempts} denied attempts on ${resource} are not told` },
  );
}

/** The events of denials once the history knows of so many: what comes within ten seconds of one waits for the next. */
function whenTold(api: Api, resource: string, denials: number) {
  return poll(
    async () => {
      const { events } = (await api.call('lockEvents', { resource })).value();
      const told = events.filter(({ kind }) => kind === 'contended');
      return told.reduce((sum, { count }) => sum + (count ?? 0), 0) === denials ? told : null;
    },
    { ...patience, describe: () => `the history was not told of ${denials} denials` },
  );
}

everywhere('contention', (api) => {
  test('of a lock is told wherever the lock is read, and by whom it is asked for', async () => {
    const resource = fresh();
    await api.grant(resource, { owner: 'holder' });
    expect(await contentionOf(api, resource)).toBeNull();
    await deny(api, resource, 'b', 2);
    await deny(api, resource, 'c');
    const contention = await whenDenied(api, resource, 3);
    expect(contention).toMatchObject({ attempts: 3, owners: 2, last_owner: 'c' });
    const { locks } = (await api.call('list', { query: { prefix: resource } })).value();
    expect(locks[0]?.contention).toEqual(contention);
    const { askers } = (await api.call('contention', { resource })).value();
    expect(askers.map(({ owner, client, attempts }) => [owner, client, attempts])).toEqual([
      ['b', 'env', 2],
      ['c', 'env', 1],
    ]);
    const [first] = askers;
    expect(Date.parse(first?.first_at ?? '')).toBeLessThanOrEqual(Date.parse(first?.last_at ?? ''));
  });

  test('leaves out whoever got the lock, and nobody asks for what nobody asked for', async () => {
    const resource = fresh();
    await api.grant(resource, { owner: 'holder' });
    await deny(api, resource, 'b');
    await deny(api, resource, 'c');
    await whenDenied(api, resource, 2);
    await api.call('release', { resource, body: { owner: 'holder' } });
    await api.grant(resource, { owner: 'b' });
    expect(await contentionOf(api, resource)).toMatchObject({ owners: 1, last_owner: 'c' });
    const { askers } = (await api.call('contention', { resource })).value();
    expect(askers.map(({ owner }) => owner)).toEqual(['c']);
    const never = (await api.call('contention', { resource: fresh() })).value();
    expect(never.askers).toEqual([]);
  });

  test('narrows and counts the list: asked_min', async () => {
    const prefix = fresh();
    const [one, two, none] = [`${prefix}/1`, `${prefix}/2`, `${prefix}/0`];
    for (const resource of [one, two, none]) await api.grant(resource, { owner: 'holder' });
    await deny(api, one, 'b', 3);
    await deny(api, two, 'b');
    await deny(api, two, 'c');
    await whenDenied(api, one, 3);
    await whenDenied(api, two, 2);
    const asked = async (asked_min: number) => {
      const query = { prefix, asked_min, sort: 'resource' };
      return (await api.call('list', { query })).value();
    };
    const names = async (asked_min: number) =>
      (await asked(asked_min)).locks.map(({ resource }) => resource);
    expect(await names(0)).toEqual([none, one, two]);
    expect(await names(1)).toEqual([one, two]);
    expect(await names(2)).toEqual([two]);
    expect(await names(3)).toEqual([]);
    expect((await asked(0)).counts).toMatchObject({ active: 3, asked: 2 });
    expect((await asked(2)).counts).toMatchObject({ active: 1, asked: 1 });
  });

  test.each([{ asked_min: -1 }, { asked_min: 1.5 }, { asked_min: 'many' }])(
    'a list by %j is refused',
    async (query) => {
      const { asked_min } = query;
      const answer = await api.call('list', { query: { asked_min } });
      expect(outcomeOf(answer)).toBe('422 invalid-request');
      expect(refusedFields(answer)).toEqual(['asked_min']);
    },
  );

  test('is told to the history once, however many there were, and written by no denial', async () => {
    const resource = fresh();
    const lease = await api.grant(resource, { owner: 'holder' });
    await deny(api, resource, 'b', 5);
    const told = await whenTold(api, resource, 5);
    expect(told.length).toBeLessThanOrEqual(2);
    expect(told[0]).toMatchObject({ owner: 'holder', fencing_token: lease.fencing_token });
  });
});

everywhere('what is usual', (api) => {
  test('of one lock: how often it is acquired, denied and lost, and how long it is held', async () => {
    const resource = fresh();
    await api.grant(resource, { owner: 'a' });
    await deny(api, resource, 'b', 4);
    await whenTold(api, resource, 4);
    await api.call('release', { resource, body: { owner: 'a' } });
    await grantShort(api, resource, 'b');
    await untilExpired(api, resource);
    const lease = await api.grant(resource, { owner: 'c' });
    const seen = { fencing_token: lease.fencing_token, reason: 'stuck' };
    await api.call('forceRelease', { resource, body: seen });
    const told = (await api.call('lockStats', { resource })).value();
    expect(told).toMatchObject({
      resource,
      acquires: 3,
      denials: 4,
      lost_leases: 1,
      forced_releases: 1,
      renew_every_ms: null,
      is_complete: true,
    });
    expect(told.held_ms?.median).toBeGreaterThanOrEqual(0);
    expect(told.held_ms?.p95).toBeGreaterThanOrEqual(250);
    expect(Date.parse(told.until) - Date.parse(told.since)).toBe(7 * 24 * 60 * 60 * 1000);
  });

  test('of a resource that never was: nothing, and no error', async () => {
    const resource = fresh();
    const told = (await api.call('lockStats', { resource })).value();
    expect(told).toMatchObject({ acquires: 0, denials: 0, held_ms: null, events_read: 0 });
  });

  test('of all locks, over a time in buckets, with the most contended', async () => {
    const resource = fresh();
    await api.grant(resource, { owner: 'a' });
    await deny(api, resource, 'b', 30);
    await whenTold(api, resource, 30);
    const told = (await api.call('stats', { query: { range: '15m' } })).value();
    expect(Date.parse(told.until) - Date.parse(told.since)).toBe(15 * 60 * 1000);
    expect(told.buckets.length).toBe(Math.ceil((15 * 60 * 1000) / told.bucket_ms));
    const sum = (of: 'acquires' | 'denials') =>
      told.buckets.reduce((sumSoFar, bucket) => sumSoFar + bucket[of], 0);
    expect(told.acquires).toBe(sum('acquires'));
    expect(told.acquires).toBeGreaterThan(0);
    expect(told.denials).toBe(sum('denials'));
    expect(told.top_contended).toContainEqual({ resource, denials: 30, lost_leases: 0 });
    const old = { since: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' };
    const before = (await api.call('stats', { query: old })).value();
    expect(before).toMatchObject({ acquires: 0, denials: 0, held_ms: null, top_contended: [] });
  });

  test.each([
    [{ range: '2h' }, 'range'],
    [{ range: '1h', since: '2026-05-01T00:00:00Z' }, 'range'],
    [{ since: 'yesterday' }, 'since'],
    [{ since: '2999-01-01T00:00:00Z' }, 'since'],
    [{ since: '2020-01-01T00:00:00Z' }, 'since'],
    [{ since: '2026-05-02T00:00:00Z', until: '2026-05-01T00:00:00Z' }, 'until'],
    [{ until: '275760-09-13T00:00:00Z' }, 'until'],
    [{ from: '2026-05-01T00:00:00Z' }, 'from'],
  ])('over %j is refused', async (query, field) => {
    const answer = await api.call('stats', { query: query });
    expect(outcomeOf(answer)).toBe('422 invalid-request');
    expect(refusedFields(answer)).toEqual([field]);
  });
});

describe('two instances on one PostgreSQL', () => {
  let instances: Instances;
  let admin: Api;
  beforeAll(async () => {
    const environment = {
      DATABASE_URL: await createDatabase(inject('postgresUrl')),
      ...adminEnvironment,
    };
    instances = await startInstances([{ environment }, { environment }]);
    admin = createApi(
      { url: instances.urls[0] ?? '' },
      await signIn({ url: instances.urls[0] ?? '' }),
    );
  });
  afterAll(() => instances.stop());

  async function keyFor(patterns: readonly string[]): Promise<readonly Api[]> {
    const body = { name: fresh('key'), client: fresh('client'), scopes: ['read'], patterns };
    const { secret } = (await admin.call('createKey', { body })).value();
    return instances.urls.map((url) => createApi({ url }, bearer(secret)));
  }

  test('tell of the same askers, whichever denied them, added up', async () => {
    const resource = fresh();
    await instances.api(0).grant(resource, { owner: 'holder' });
    await deny(instances.api(0), resource, 'b', 2);
    await deny(instances.api(1), resource, 'b', 3);
    await deny(instances.api(1), resource, 'c', 1);
    for (const api of instances.all) {
      expect(await whenDenied(api, resource, 6)).toMatchObject({ owners: 2 });
      const { askers } = (await api.call('contention', { resource })).value();
      expect(askers.map(({ owner, attempts }) => [owner, attempts])).toEqual([
        ['b', 5],
        ['c', 1],
      ]);
    }
    const told = await Promise.all(
      instances.all.map(
        async (api) => (await api.call('lockStats', { resource })).value().acquires,
      ),
    );
    expect(told).toEqual([1, 1]);
  });

  test('tell a key of what its patterns cover, and of nothing else', async () => {
    const prefix = fresh();
    const [mine, theirs] = [`${prefix}/mine/1`, `${prefix}/theirs/1`];
    for (const resource of [mine, theirs]) {
      await instances.api(0).grant(resource, { owner: 'holder' });
      await deny(instances.api(0), resource, 'b', 2);
    }
    await whenTold(instances.api(0), mine, 2);
    await whenTold(instances.api(0), theirs, 2);
    for (const api of await keyFor([`${prefix}/mine/*`])) {
      const { locks, counts } = (await api.call('list', { query: { asked_min: 1 } })).value();
      expect(locks.map(({ resource }) => resource)).toEqual([mine]);
      expect(counts).toMatchObject({ active: 1, asked: 1 });
      for (const name of ['contention', 'lockStats'] as const) {
        expect(outcomeOf(await api.call(name, { resource: mine }))).toBe('200');
        expect(outcomeOf(await api.call(name, { resource: theirs }))).toBe('403 forbidden');
      }
      const told = (await api.call('stats', { query: { range: '15m' } })).value();
      expect(told.top_contended).toEqual([{ resource: mine, denials: 2, lost_leases: 0 }]);
      expect(told).toMatchObject({ acquires: 1, denials: 2 });
    }
  });
});
