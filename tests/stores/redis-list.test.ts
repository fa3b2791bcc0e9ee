import { afterAll, beforeAll, describe, expect, test } from 'vitest';

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
    pages.push([page.counts, page.leases.map(({ resource }) => resource)]);
    after = page.next;
  } while (after !== null);
  return pages;
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
      }
    };
  });
}
