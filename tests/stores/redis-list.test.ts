import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { Denials } from '@/lib/locks/contention';
import type { Lease } from '@/lib/locks/lease';
import { listSortFields, type ListQuery } from '@/lib/locks/lock-store';
import { parsePattern } from '@/lib/locks/patterns';

import { createRandom } from '../support/random';
import { drive, type Driver } from './drive';
import { openMemoryStore } from './memory-under-test';
import { openRedis, sqliteLedger, type RedisUnderTest } from './redis';

const locks = 900;

/** More locks than one chunk reads, in every state, on a store of its own: without a filter the indexes answer. */
describe('the list of a whole Redis', () => {
  let subject: RedisUnderTest;
  let at: Driver;
  let specification: Driver;
  beforeAll(async () => {
    subject = await openRedis(await sqliteLedger());
    at = drive(subject);
    specification = drive(openMemoryStore());
    const steps = fill('the list of a whole Redis');
    for (const step of steps) await step(specification);
    for (const step of steps) await step(at);
    expect(await at.now()).toBe(await specification.now());
  }, 120_000);
  afterAll(() => subject.close());

  const orders = listSortFields.flatMap((sortField) =>
    [false, true].map((isDescending) => ({ sortField, isDescending })),
  );

  test.each(['active', 'expired', 'all'] as const)(
    'has in every order the pages and counts of the specification: %s',
    async (state) => {
      for (const order of orders) {
        for (const condition of [null, 'expiring', 'silent', 'closed'] as const) {
          await expectSamePages({ state, condition, ...order, limit: 170, filter: {} });
        }
      }
    },
    120_000,
  );

  test('counts conditions from the indexes as from the rows, at every moment', async () => {
    for (let step = 0; step < 40; step += 1) {
      await specification.clock.advance(173);
      await at.clock.advance(173);
      const indexed = await at.list({ filter: {}, limit: 1 });
      const scanned = await at.list({ filter: { ownerPrefix: 'o' }, limit: 1 });
      const expected = await specification.list({ filter: {}, limit: 1 });
      expect(indexed.counts).toEqual(expected.counts);
      expect(scanned.counts.active + scanned.counts.expired).toBe(locks);
    }
  });

  test('finds the locks that so many ask for, in every order', async () => {
    for (const order of orders) {
      for (const askedMin of [1, 2, 4]) {
        await expectSamePages({ state: 'all', ...order, limit: 60, filter: { askedMin } });
      }
    }
  });

  test('counts nothing where nobody looks at the counts', async () => {
    const { counts } = await at.list({ filter: {}, isUncounted: true });
    expect(counts).toEqual({ active: 0, expired: 0, expiring: 0, silent: 0, closed: 0, asked: 0 });
  });

  test('has what several patterns cover, once each where they overlap', async () => {
    const visible = ['lock-1*', 'lock-12*', 'lock-3', 'lock-40*', 'none', 'lock-3'].map(
      parsePattern,
    );
    for (const order of orders) {
      await expectSamePages({ state: 'all', ...order, limit: 60, filter: { visible } });
      const filter = { visible, resourcePrefix: 'lock-12' };
      await expectSamePages({ state: 'all', ...order, limit: 60, filter });
    }
  });

  async function expectSamePages(query: Parameters<Driver['list']>[0]): Promise<void> {
    expect(await pagesOf(at, query), JSON.stringify(query)).toEqual(
      await pagesOf(specification, query),
    );
  }
});

/** All pages, in terms that do not depend on the store. */
async function pagesOf(at: Driver, query: Parameters<Driver['list']>[0]) {
  const pages: unknown[] = [];
  let after: ListQuery['after'] = null;
  do {
    const page = await at.list({ ...query, after });
    pages.push([
      page.counts,
      page.leases.map(({ resource, contention }) => [resource, contention]),
    ]);
    after = page.next;
  } while (after !== null);
  return pages;
}

/** Denied attempts on a lease: of one owner who holds others, of two, or of its own. */
function denials(lease: Lease, nowMs: number, kind: number): readonly Denials[] {
  const { resource, owner, client, fencingToken } = lease;
  const owners = kind === 6 ? [owner] : kind === 7 ? ['o9'] : ['o8', 'o9', 'o7'];
  return owners.map((asking) => ({
    ...{ resource, owner: asking, client, attempts: kind, firstAtMs: nowMs, lastAtMs: nowMs },
    holder: { owner, client, fencingToken },
  }));
}

/** The same steps for any store: leases of different lengths, some renewed, some held, some over. */
function fill(title: string): readonly ((at: Driver) => Promise<unknown>)[] {
  const random = createRandom(title);
  return Array.from({ length: locks }, (_, index) => {
    const resource = `lock-${String((index * 37) % locks)}`;
    const ttlMs = random.pick([100, 2_000, 5_000, 9_000, 20_000, 60_000]);
    const owner = `o${String(random.between(0, 5))}`;
    const kind = random.between(0, 9);
    const waitMs = random.pick([0, 0, 5, 20]);
    return async (at: Driver) => {
      if (kind === 0) await at.putHold({ resource, ttlMs });
      else {
        const lease = await at.grant({ resource, owner, ttlMs });
        await at.clock.advance(waitMs);
        if (kind > 6) await at.renew(lease, { ttlMs });
        if (kind === 9) await at.grant({ resource, owner, ttlMs });
        if (kind > 5) await at.store.noteDenials(denials(lease, await at.now(), kind));
      }
    };
  });
}
