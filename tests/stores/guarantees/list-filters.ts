import { expect } from 'vitest';

import { limits } from '@/lib/locks/limits';
import { parsePattern } from '@/lib/locks/patterns';
import type { ListFilter } from '@/lib/locks/lock-store';

import { defaultTtlMs, fresh, type Driver } from '../drive';
import { guarantee } from '../store-under-test';

/** What the list shows and what it counts. */
export const listFilterGuarantees = [
  guarantee('the list has active, expired or all locks', async (at) => {
    const prefix = fresh();
    const over = await at.grant({ resource: `${prefix}/over`, owner: 'a', ttlMs: 100 });
    const hold = await at.putHold({ resource: `${prefix}/hold`, ttlMs: 5_000 });
    const live = await at.grant({ resource: `${prefix}/live`, owner: 'a' });
    await at.clock.advance(100);
    const filter = { resourcePrefix: prefix };
    expect((await at.list({ filter, state: 'active' })).leases).toEqual([hold, live]);
    expect((await at.list({ filter, state: 'expired' })).leases).toEqual([over]);
    expect((await at.list({ filter, state: 'all' })).leases).toEqual([over, hold, live]);
  }),

  guarantee('a lease is expiring under a fifth of its TTL', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a', ttlMs: 10_000 });
    await at.clock.advance(8_000);
    expect(await conditionsOf(at, lease.resource)).toEqual([]);
    await at.clock.advance(1);
    expect(await conditionsOf(at, lease.resource)).toEqual(['expiring']);
    await at.clock.advance(1_999);
    expect(await conditionsOf(at, lease.resource)).toEqual([]);
  }),

  guarantee('a lease is silent past twice its usual renew gap', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a', ttlMs: 60_000 });
    for (const gapMs of [2_000, 4_000]) {
      await at.clock.advance(gapMs);
      await at.renew(lease, { ttlMs: 60_000 });
    }
    await at.clock.advance(6_000);
    expect(await conditionsOf(at, lease.resource)).toEqual([]);
    await at.clock.advance(1);
    expect(await conditionsOf(at, lease.resource)).toEqual(['silent']);
    await at.renew(lease, { ttlMs: 60_000 });
    expect(await conditionsOf(at, lease.resource)).toEqual([]);
  }),

  guarantee('a renewal right after the grant makes no lease silent within seconds', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a', ttlMs: 60_000 });
    await at.renew(lease, { ttlMs: 60_000 });
    await at.clock.advance(2_000);
    expect(await conditionsOf(at, lease.resource)).toEqual([]);
    await at.clock.advance(1);
    expect(await conditionsOf(at, lease.resource)).toEqual(['silent']);
  }),

  guarantee('silence outranks a near end, and a hold is closed whatever else', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a', ttlMs: 10_000 });
    await at.clock.advance(1_000);
    await at.renew(lease, { ttlMs: 10_000 });
    const hold = await at.putHold({ resource: fresh(), ttlMs: 10_000 });
    await at.clock.advance(9_500);
    expect(await conditionsOf(at, lease.resource)).toEqual(['silent']);
    expect(await conditionsOf(at, hold.resource)).toEqual(['closed']);
    await at.clock.advance(500);
    expect(await conditionsOf(at, lease.resource)).toEqual([]);
    expect(await conditionsOf(at, hold.resource)).toEqual([]);
  }),

  guarantee('an expired lock has no condition, whatever state is asked for', async (at) => {
    const resource = fresh();
    await at.putHold({ resource });
    await at.clock.advance(defaultTtlMs);
    for (const state of ['expired', 'all'] as const) {
      const page = await at.list({
        state,
        condition: 'closed',
        filter: { resourcePrefix: resource },
      });
      expect(page.leases).toEqual([]);
    }
  }),

  guarantee('the counts tell every state and condition, whichever is listed', async (at) => {
    const prefix = fresh();
    await fillWithEachCondition(at, prefix);
    const counts = { active: 7, expired: 1, expiring: 3, silent: 1, closed: 1, asked: 0 };
    for (const state of ['active', 'expired', 'all'] as const) {
      for (const condition of [null, 'expiring', 'silent', 'closed'] as const) {
        const page = await at.list({
          state,
          condition,
          limit: 2,
          filter: { resourcePrefix: prefix },
        });
        expect(page.counts).toEqual(counts);
        expect(page.areCountsCapped).toBe(false);
      }
    }
  }),

  guarantee('the counts are under the filters', async (at) => {
    const prefix = fresh();
    await fillWithEachCondition(at, prefix);
    const none = { active: 0, expired: 0, expiring: 0, silent: 0, closed: 0, asked: 0 };
    const countsOf = async (filter: Partial<ListFilter>) =>
      (await at.list({ filter: { resourcePrefix: prefix, ...filter } })).counts;
    expect(await countsOf({ text: '/expiring' })).toEqual({ ...none, active: 3, expiring: 3 });
    expect(await countsOf({ ownerPrefix: 'operator:' })).toEqual({ ...none, active: 1, closed: 1 });
    expect(await countsOf({ client: 'nobody' })).toEqual(none);
  }),

  guarantee('the counts are exact to 10,000 and say when they are capped', async (at) => {
    const prefix = fresh();
    const filter = { resourcePrefix: prefix };
    for (let batch = 0; batch < 10; batch += 1) {
      await Promise.all(
        Array.from({ length: limits.countMax / 10 }, (_, index) =>
          at.grant({ resource: `${prefix}/${String(batch)}/${String(index)}`, owner: 'a' }),
        ),
      );
    }
    const exact = await at.list({ filter, limit: 1 });
    expect(exact.counts).toMatchObject({ active: limits.countMax, expired: 0 });
    expect(exact.areCountsCapped).toBe(false);
    const last = await at.grant({ resource: `${prefix}/last`, owner: 'a' });
    const capped = await at.list({ filter, limit: 1 });
    expect(capped.counts).toMatchObject({ active: limits.countMax, expired: 0 });
    expect(capped.areCountsCapped).toBe(true);
    const narrowed = await at.list({ filter: { resourcePrefix: last.resource } });
    expect(narrowed).toMatchObject({ counts: { active: 1 }, areCountsCapped: false });
  }),

  guarantee('a caller sees and counts what its patterns cover, on every page', async (at) => {
    const prefix = fresh();
    const names = ['a', 'a:1', 'a:2', 'A:1', 'b', 'b1', 'c%', 'cx'];
    for (const name of names) await at.grant({ resource: `${prefix}/${name}`, owner: 'o' });
    const seenBy = async (...patterns: string[]) => {
      const visible = patterns.map((pattern) => parsePattern(`${prefix}/${pattern}`));
      const filter = { resourcePrefix: prefix, visible };
      const page = await at.list({ filter, sortField: 'resource' });
      const first = await at.list({ filter, sortField: 'resource', limit: 1 });
      expect(page.counts.active).toBe(page.leases.length);
      expect(first.counts).toEqual(page.counts);
      expect(first.leases).toEqual(page.leases.slice(0, 1));
      return page.leases.map(({ resource }) => resource.slice(prefix.length + 1));
    };
    expect(await seenBy('a:*')).toEqual(['a:1', 'a:2']);
    expect(await seenBy('b')).toEqual(['b']);
    expect(await seenBy('b', 'a:1', 'a*')).toEqual(['a', 'a:1', 'a:2', 'b']);
    expect(await seenBy('c%*', '_')).toEqual(['c%']);
    expect(await seenBy('*')).toHaveLength(names.length);
    expect(await seenBy()).toEqual([]);
    const all = await at.list({ filter: { resourcePrefix: prefix, visible: [parsePattern('*')] } });
    expect(all.leases).toHaveLength(names.length);
  }),

  guarantee('a text is found in resource, owner or client', async (at) => {
    const needle = fresh('needle');
    const inName = await at.grant({ resource: `${fresh()}-${needle}-x`, owner: 'a' });
    const inOwner = await at.grant({ resource: fresh(), owner: `a ${needle}` });
    const inClient = await at.grant({ resource: fresh(), owner: 'a', client: `${needle} b` });
    await at.grant({ resource: fresh(), owner: 'a', client: null, metadata: { job: needle } });
    const page = await at.list({ filter: { text: needle }, sortField: 'fencing_token' });
    expect(page.leases).toEqual([inName, inOwner, inClient]);
    expect((await at.list({ filter: { text: needle.toUpperCase() } })).leases).toEqual([]);
  }),

  guarantee('no character of a filter is a wildcard', async (at) => {
    const prefix = fresh();
    const names = [
      'a_b',
      'axb',
      'a%b',
      'A_B',
      'a*b',
      'a?b',
      'a[x]b',
      'a\\b',
      'ab',
      'a\\_b',
      'a_bc',
    ];
    for (const name of names)
      await at.grant({ resource: `${prefix}/${name}`, owner: `${prefix}${name}` });
    const found = async (filter: Partial<ListFilter>) => {
      const page = await at.list({ filter, sortField: 'fencing_token' });
      return page.leases.map(({ resource }) => resource.slice(prefix.length + 1));
    };
    for (const name of names) {
      const expected = name === 'a_b' ? ['a_b', 'a_bc'] : [name];
      expect(await found({ resourcePrefix: `${prefix}/${name}` }), name).toEqual(expected);
      expect(await found({ text: `${prefix}/${name}` }), name).toEqual(expected);
      expect(await found({ ownerPrefix: `${prefix}${name}` }), name).toEqual(expected);
      expect(await found({ owner: `${prefix}${name}` }), name).toEqual([name]);
    }
    expect(await found({ resourcePrefix: `${prefix}/%` })).toEqual([]);
    expect(await found({ text: `${prefix}%` })).toEqual([]);
    expect(await found({ ownerPrefix: `${prefix}_` })).toEqual([]);
  }),

  guarantee('filters tell upper case from lower, and accents apart', async (at) => {
    const prefix = fresh();
    for (const name of ['Job', 'job', 'ÉTÉ', 'été', 'ete', 'straße', 'STRASSE']) {
      await at.grant({
        resource: `${prefix}${name}`,
        owner: `${prefix}${name}`,
        client: `${prefix}${name}`,
      });
    }
    for (const name of ['Job', 'job', 'ÉTÉ', 'été', 'ete', 'straße', 'STRASSE']) {
      const value = `${prefix}${name}`;
      for (const filter of [
        { resourcePrefix: value },
        { owner: value },
        { ownerPrefix: value },
        { client: value },
        { text: value },
      ]) {
        const page = await at.list({ filter });
        expect(
          page.leases.map(({ resource }) => resource),
          name,
        ).toEqual([value]);
      }
    }
  }),

  guarantee('a prefix may end within the widest characters', async (at) => {
    const prefix = fresh();
    const names = ['', '💾', '💾💾', '\u{10FFFF}', '\u{10FFFF}\u{10FFFF}', '\uFFFD', 'z', 'é'];
    for (const name of names) await at.grant({ resource: `${prefix}${name}`, owner: 'a' });
    for (const name of names) {
      const page = await at.list({ filter: { resourcePrefix: `${prefix}${name}` } });
      const listed = page.leases.map(({ resource }) => resource.slice(prefix.length));
      expect(new Set(listed)).toEqual(new Set(names.filter((other) => other.startsWith(name))));
    }
  }),

  guarantee(
    'owner and client are exact filters, and a lock without client has none',
    async (at) => {
      const owner = fresh('owner');
      const client = fresh('client');
      const one = await at.grant({ resource: fresh(), owner, client });
      const two = await at.grant({ resource: fresh(), owner, client: `${client}x` });
      const three = await at.grant({ resource: fresh(), owner: `${owner}x`, client: null });
      const listed = async (filter: Partial<ListFilter>) =>
        (await at.list({ filter, sortField: 'fencing_token' })).leases;
      expect(await listed({ owner })).toEqual([one, two]);
      expect(await listed({ client })).toEqual([one]);
      expect(await listed({ ownerPrefix: owner })).toEqual([one, two, three]);
      expect(await listed({ owner, client })).toEqual([one]);
      expect(await listed({ ownerPrefix: owner, client: 'null' })).toEqual([]);
    },
  ),

  guarantee('a lock is found by its fencing token', async (at) => {
    const prefix = fresh();
    const first = await at.grant({ resource: prefix, owner: 'a' });
    const lease = await at.grant({ resource: prefix, owner: 'a' });
    const found = async (fencingToken: number) =>
      (await at.list({ filter: { fencingToken, resourcePrefix: prefix } })).leases;
    expect(await found(lease.fencingToken)).toEqual([lease]);
    expect(await found(first.fencingToken)).toEqual([]);
  }),
];

async function conditionsOf(at: Driver, resource: string): Promise<string[]> {
  const filter = { resourcePrefix: resource };
  const found: string[] = [];
  for (const condition of ['expiring', 'silent', 'closed'] as const) {
    const page = await at.list({ condition, filter });
    if (page.leases.length > 0) found.push(condition);
    expect(page.counts[condition]).toBe(page.leases.length);
  }
  return found;
}

/** Eight locks: one expired, one closed, one silent, three expiring, and two in good order. */
async function fillWithEachCondition(at: Driver, prefix: string): Promise<void> {
  await at.grant({ resource: `${prefix}/over`, owner: 'a', ttlMs: 5_000 });
  await at.putHold({ resource: `${prefix}/hold`, ttlMs: 60_000 });
  const silent = await at.grant({ resource: `${prefix}/silent`, owner: 'a', ttlMs: 60_000 });
  await at.renew(silent, { ttlMs: 60_000 });
  for (const name of ['1', '2', '3']) {
    await at.grant({ resource: `${prefix}/expiring-${name}`, owner: 'a', ttlMs: 6_000 });
  }
  for (const name of ['1', '2']) {
    await at.grant({ resource: `${prefix}/good-${name}`, owner: 'a', ttlMs: 60_000 });
  }
  await at.clock.advance(5_000);
}
