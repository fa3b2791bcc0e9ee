import { expect } from 'vitest';

import type { Lease } from '@/lib/locks/lease';
import { listSortFields, type ListQuery, type ListSortField } from '@/lib/locks/lock-store';

import { fresh, type Driver } from '../drive';
import { guarantee } from '../store-under-test';

/** The order of the list, and its pages. */
export const listPageGuarantees = [
  guarantee('the list is sorted by each field, in both directions, ties by id', async (at) => {
    const prefix = fresh();
    const leases = await fillWithTies(at, prefix);
    for (const sortField of listSortFields) {
      for (const isDescending of [false, true]) {
        const page = await at.list({ sortField, isDescending, filter: { resourcePrefix: prefix } });
        const expected = inOrder(leases, sortField, isDescending);
        expect(namesOf(page.leases), `${sortField} ${String(isDescending)}`).toEqual(
          namesOf(expected),
        );
        expect(page.next).toBeNull();
      }
    }
  }),

  guarantee('text is sorted by its bytes', async (at) => {
    const prefix = fresh();
    const ascending = ['', ' b', '!', '0', '10', '9', 'A', 'B', 'Z', '_', 'a', 'b', 'z', '~'];
    ascending.push('é', 'ß', '\u{FB01}', '\u{FFFD}', '\u{10000}', '💾');
    ascending.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    for (const name of [...ascending].reverse()) {
      await at.grant({ resource: prefix + name, owner: prefix + name });
    }
    for (const sortField of ['resource', 'owner'] as const) {
      const up = await at.list({ sortField, filter: { resourcePrefix: prefix } });
      expect(up.leases.map(({ resource }) => resource.slice(prefix.length))).toEqual(ascending);
      const down = await at.list({
        sortField,
        isDescending: true,
        filter: { resourcePrefix: prefix },
      });
      expect(down.leases).toEqual([...up.leases].reverse());
    }
  }),

  guarantee('pages neither repeat nor skip, whatever the sort and the ties', async (at) => {
    const prefix = fresh();
    const leases = await fillWithTies(at, prefix);
    for (const sortField of listSortFields) {
      for (const isDescending of [false, true]) {
        for (const limit of [1, 4, 7]) {
          const order = { sortField, isDescending, limit };
          const paged = await allPages(at, { ...order, filter: { resourcePrefix: prefix } });
          expect(namesOf(paged), JSON.stringify(order)).toEqual(
            namesOf(inOrder(leases, sortField, isDescending)),
          );
        }
      }
    }
  }),

  guarantee('a page that nobody wants counts of has none, and the same locks', async (at) => {
    const filter = { resourcePrefix: fresh() };
    await fillWithTies(at, filter.resourcePrefix);
    const counted = await at.list({ filter, limit: 3 });
    const uncounted = await at.list({ filter, limit: 3, isUncounted: true });
    expect(uncounted).toEqual({
      ...counted,
      counts: { active: 0, expired: 0, expiring: 0, silent: 0, closed: 0, asked: 0 },
    });
    expect(counted.counts.active).toBeGreaterThan(3);
  }),

  guarantee('a page ends at its last lock, and the last page says so', async (at) => {
    const prefix = fresh();
    const leases = await fillWithTies(at, prefix);
    const filter = { resourcePrefix: prefix };
    const full = await at.list({ filter, limit: leases.length });
    expect(full.leases).toHaveLength(leases.length);
    expect(full.next).toBeNull();
    const short = await at.list({ filter, limit: leases.length - 1 });
    const last = short.leases.at(-1);
    expect(short.next).toEqual({ value: last?.expiresAtMs, id: last?.id });
    const rest = await at.list({ filter, limit: 1, after: short.next });
    expect(rest.leases).toHaveLength(1);
    expect(rest.next).toBeNull();
    const byName = await at.list({ filter, limit: 2, sortField: 'resource' });
    expect(byName.next?.value).toBe(byName.leases[1]?.resource);
    const none = await at.list({ filter: { resourcePrefix: fresh() } });
    expect(none).toMatchObject({ leases: [], next: null });
  }),

  guarantee('pages go on where they were although locks come, go and change', async (at) => {
    const prefix = fresh();
    const filter = { resourcePrefix: prefix };
    for (let index = 10; index < 30; index += 1) {
      await at.grant({ resource: `${prefix}/${String(index)}`, owner: 'a' });
    }
    const order = { filter, sortField: 'resource', limit: 5 } as const;
    const first = await at.list(order);
    expect(endingsOf(first.leases, prefix)).toEqual(['/10', '/11', '/12', '/13', '/14']);

    // The lock at which the page ended goes and two before it, one before it comes, and so it is on the next page.
    for (const name of ['/11', '/12', '/14']) {
      await at.release({ resource: `${prefix}${name}`, owner: 'a' });
    }
    await at.grant({ resource: `${prefix}/00`, owner: 'a' });
    await at.release({ resource: `${prefix}/16`, owner: 'a' });
    await at.grant({ resource: `${prefix}/15b`, owner: 'a' });
    const second = await at.list({ ...order, after: first.next });
    expect(endingsOf(second.leases, prefix)).toEqual(['/15', '/15b', '/17', '/18', '/19']);
    const rest = await allPages(at, { ...order, after: second.next });
    expect(rest).toHaveLength(10);
  }),

  guarantee('a renewed lock moves behind, and no other is skipped for it', async (at) => {
    const prefix = fresh();
    for (let index = 0; index < 9; index += 1) {
      await at.grant({ resource: `${prefix}/${String(index)}`, owner: 'a', ttlMs: 10_000 + index });
    }
    const filter = { resourcePrefix: prefix };
    const first = await at.list({ filter, limit: 3 });
    await at.clock.advance(1_000);
    await at.renew({ resource: `${prefix}/1`, owner: 'a' }, { ttlMs: 60_000 });
    const rest = await allPages(at, { filter, limit: 2, after: first.next });
    expect(endingsOf(rest, prefix)).toEqual(['/3', '/4', '/5', '/6', '/7', '/8', '/1']);
  }),

  guarantee('ids are compared as numbers', async (at) => {
    const prefix = fresh();
    // Enough rows with equal sort values that the ids cross a power of ten on any store that is new.
    for (let index = 0; index < 120; index += 1) {
      await at.grant({ resource: `${prefix}/${String(index)}`, owner: 'a' });
    }
    const filter = { resourcePrefix: prefix };
    for (const isDescending of [false, true]) {
      const paged = await allPages(at, { filter, isDescending, sortField: 'owner', limit: 50 });
      const ids = paged.map(({ id }) => Number(id));
      expect(ids).toEqual([...ids].sort((a, b) => (isDescending ? b - a : a - b)));
      expect(new Set(ids).size).toBe(120);
    }
  }),
];

/** Twelve locks in which every sort field but resource and token has equal values, and holds are among them. */
async function fillWithTies(at: Driver, prefix: string): Promise<readonly Lease[]> {
  const leases: Lease[] = [];
  for (let index = 0; index < 12; index += 1) {
    const resource = `${prefix}/${String((index * 7) % 12)}`;
    const ttlMs = 60_000 - (index % 3) * 1_000;
    if (index % 4 === 3) await at.clock.advance(1_000);
    leases.push(
      index % 6 === 5
        ? await at.putHold({ resource, ttlMs })
        : await at.grant({ resource, owner: `owner ${String(index % 2)}`, ttlMs }),
    );
  }
  return leases;
}

type Pages = Parameters<Driver['list']>[0] & Pick<ListQuery, 'limit'>;

async function allPages(at: Driver, query: Pages): Promise<readonly Lease[]> {
  const leases: Lease[] = [];
  let after = query.after ?? null;
  do {
    const page = await at.list({ ...query, after });
    expect(page.leases.length).toBeLessThanOrEqual(query.limit);
    leases.push(...page.leases);
    after = page.next;
  } while (after !== null);
  return leases;
}

function inOrder(
  leases: readonly Lease[],
  field: ListSortField,
  isDescending: boolean,
): readonly Lease[] {
  const sorted = [...leases].sort((a, b) => {
    const x = sortValue(a, field);
    const y = sortValue(b, field);
    return x === y ? Number(a.id) - Number(b.id) : x < y ? -1 : 1;
  });
  return isDescending ? sorted.reverse() : sorted;
}

function sortValue(lease: Lease, field: ListSortField): string | number {
  switch (field) {
    case 'resource':
      return lease.resource;
    case 'owner':
      return lease.owner;
    case 'acquired_at':
      return lease.acquiredAtMs;
    case 'expires_at':
      return lease.expiresAtMs;
    case 'fencing_token':
      return lease.fencingToken;
  }
}

function namesOf(leases: readonly Lease[]): readonly string[] {
  return leases.map(({ resource }) => resource);
}

function endingsOf(leases: readonly Lease[], prefix: string): readonly string[] {
  return leases.map(({ resource }) => resource.slice(prefix.length));
}
