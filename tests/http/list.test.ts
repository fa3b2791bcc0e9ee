import { expect, test } from 'vitest';

import type { LockOnWire } from '@/lib/contract/answers';

import { outcomeOf, refusedFields, type Api } from '../support/api';
import { fresh, grantShort, everywhere, untilExpired } from '../support/both-doors';
import { poll } from '../support/waiting';

type Query = Record<string, string | number>;

everywhere('the list', (api) => {
  const list = async (query: Query) => (await api.call('list', { query })).value();
  const names = async (query: Query) => (await list(query)).locks.map((lock) => lock.resource);

  test('shows live locks unless asked for others, and tells the time by which it judged', async () => {
    const prefix = fresh();
    await api.grant(`${prefix}-live`);
    await grantShort(api, `${prefix}-over`);
    await untilExpired(api, `${prefix}-over`);
    expect(await names({ prefix })).toEqual([`${prefix}-live`]);
    expect(await names({ prefix, state: 'expired' })).toEqual([`${prefix}-over`]);
    expect(await names({ prefix, state: 'all' })).toEqual([`${prefix}-over`, `${prefix}-live`]);
    const { locks, now } = await list({ prefix });
    const [lock] = locks;
    expect(Date.parse(lock?.expires_at ?? '') - Date.parse(now)).toBe(lock?.remaining_ms);
  });

  test('counts every state and condition under the filters, whatever state is shown', async () => {
    const prefix = fresh();
    await api.grant(`${prefix}-live`);
    await grantShort(api, `${prefix}-over`);
    const body = { reason: 'migration', ttl_seconds: 600 };
    await api.call('hold', { resource: `${prefix}-closed`, body });
    await untilExpired(api, `${prefix}-over`);
    const expected = { active: 2, expired: 1, expiring: 0, silent: 0, closed: 1, asked: 0 };
    for (const query of [{}, { state: 'expired' }, { state: 'all', condition: 'closed' }]) {
      const { counts, counts_capped } = await list({ prefix, ...query });
      expect(counts).toEqual(expected);
      expect(counts_capped).toBe(false);
    }
    expect(await names({ prefix, condition: 'closed' })).toEqual([`${prefix}-closed`]);
  });

  test('tells which leases are near their end', async () => {
    const prefix = fresh();
    const resource = `${prefix}-expiring`;
    // The window is a fifth of the TTL: should a slow machine miss it, there is another lease to watch.
    const seen = await poll(
      async () => {
        const { locks, counts } = await list({ prefix, state: 'all' });
        const [lock] = locks;
        if (lock === undefined || lock.state === 'expired')
          await api.grant(resource, { ttlMs: 5_000 });
        return lock !== undefined && counts.expiring === 1 ? lock : null;
      },
      { withinMs: 60_000, everyMs: 100, describe: () => 'no lease came near its end' },
    );
    expect(seen.condition).toBe('expiring');
    expect(seen.remaining_ms).toBeLessThan(1_000);
  });

  test('tells which leases fell silent', async () => {
    const prefix = fresh();
    const resource = `${prefix}-silent`;
    await api.grant(resource, { ttlMs: 60_000 });
    await api.call('renew', { resource, body: { owner: 'owner', ttl_ms: 60_000 } });
    await poll(
      async () => ((await names({ prefix, condition: 'silent' })).length === 1 ? true : null),
      { withinMs: 30_000, describe: () => 'the lease did not fall silent' },
    );
    const { locks, counts } = await list({ prefix });
    expect(locks[0]?.condition).toBe('silent');
    expect(counts).toMatchObject({ silent: 1, expiring: 0 });
    expect(await names({ prefix, condition: 'expiring' })).toEqual([]);
  });

  test('a prefix is bytewise: no wildcard, no folding of case', async () => {
    const root = fresh();
    const all = ['a_b', 'axb', 'a%b', 'A_B', 'a_bc', 'a\\_b', 'ä_b', 'a_'].map((end) => root + end);
    for (const name of all) await api.grant(name);
    const sorted = { sort: 'resource' };
    expect(await names({ prefix: `${root}a_b`, ...sorted })).toEqual([`${root}a_b`, `${root}a_bc`]);
    expect(await names({ prefix: `${root}a%`, ...sorted })).toEqual([`${root}a%b`]);
    expect(await names({ prefix: `${root}A` })).toEqual([`${root}A_B`]);
    expect(await names({ prefix: `${root}a\u0308` })).toEqual([`${root}ä_b`]);
  });

  test('a search finds resources and owners that contain the text, bytewise', async () => {
    const root = fresh();
    await api.grant(`${root}/one`, { owner: 'plain' });
    await api.grant(`${root}/two`, { owner: `by-${root}_%'"` });
    await api.grant(fresh('elsewhere'), { owner: `x${root}x` });
    expect((await list({ q: root })).locks).toHaveLength(3);
    expect(await names({ q: `${root}/t` })).toEqual([`${root}/two`]);
    expect(await names({ q: `${root}_%'"` })).toEqual([`${root}/two`]);
    expect(await names({ q: `${root}_` })).toEqual([`${root}/two`]);
    expect(await names({ q: root.toUpperCase() })).toEqual([]);
  });

  test('filters by owner, by the beginning of the owner, by client and by token', async () => {
    const root = fresh();
    const one = await api.grant(`${root}-1`, { owner: `${root}-host-1` });
    await api.grant(`${root}-2`, { owner: `${root}-host-10` });
    expect(await names({ owner: `${root}-host-1` })).toEqual([`${root}-1`]);
    expect(await names({ owner_prefix: `${root}-host-1`, sort: 'resource' })).toEqual([
      `${root}-1`,
      `${root}-2`,
    ]);
    expect(await names({ fencing_token: one.fencing_token })).toEqual([`${root}-1`]);
    expect(await names({ fencing_token: one.fencing_token, owner: 'another' })).toEqual([]);
    expect(await names({ client: 'nobody' })).toEqual([]);
    expect(await names({ prefix: root, asked_min: 1 })).toEqual([]);
    expect((await list({ prefix: root, asked_min: 0 })).locks).toHaveLength(2);
  });

  test('sorts by each field both ways, and pages through all of it once', async () => {
    const prefix = fresh();
    // One page boundary falls between equal owners, which only the row's id tells apart.
    for (const [name, owner, ttlMs] of [
      ['d', 'o2', 90_000],
      ['B', 'o1', 80_000],
      ['a', 'o2', 70_000],
      ['c', 'o1', 95_000],
      ['e', 'o1', 60_000],
    ] as const) {
      await api.grant(`${prefix}-${name}`, { owner, ttlMs });
    }
    for (const field of [
      'resource',
      'owner',
      'acquired_at',
      'expires_at',
      'fencing_token',
    ] as const) {
      const ascending = await allPages(api, { prefix, sort: field });
      expect(ascending).toHaveLength(5);
      expect(ascending.map(idOf)).toEqual([...ascending].sort(by(field)).map(idOf));
      const descending = await allPages(api, { prefix, sort: `-${field}` });
      expect(descending.map(idOf)).toEqual(ascending.map(idOf).reverse());
    }
    const byDefault = await allPages(api, { prefix });
    expect(byDefault.map(idOf)).toEqual([...byDefault].sort(by('expires_at')).map(idOf));
  });

  test('a page that ends the list has no cursor, even when it is full', async () => {
    const prefix = fresh();
    for (const end of ['a', 'b']) await api.grant(`${prefix}-${end}`);
    expect((await list({ prefix, limit: 2 })).next_cursor).toBeNull();
    expect((await list({ prefix, limit: 1 })).next_cursor).not.toBeNull();
    expect(await list({ prefix: fresh() })).toMatchObject({ locks: [], next_cursor: null });
  });

  test('a cursor works under its own sort and filters only', async () => {
    const prefix = fresh();
    for (const end of ['a', 'b', 'c']) await api.grant(`${prefix}-${end}`);
    const { next_cursor } = await list({ prefix, sort: 'resource', limit: 1 });
    const cursor = next_cursor ?? '';
    const own = { prefix, sort: 'resource', cursor };
    expect(await names({ ...own, limit: 2 })).toEqual([`${prefix}-b`, `${prefix}-c`]);
    const others: Query[] = [
      { ...own, sort: '-resource' },
      { ...own, sort: 'fencing_token' },
      { ...own, prefix: `${prefix}-` },
      { ...own, state: 'all' },
      { ...own, q: 'a' },
      { ...own, cursor: `${cursor}x` },
      { ...own, cursor: cursor.slice(0, -4) },
      { ...own, cursor: 'AAAA' },
      { ...own, cursor: Buffer.from('["x",1,"1"]').toString('base64url') },
    ];
    for (const query of others) {
      const answer = await api.call('list', { query });
      expect([JSON.stringify(query), outcomeOf(answer)]).toEqual([
        JSON.stringify(query),
        '422 invalid-request',
      ]);
      expect(refusedFields(answer)).toEqual(['cursor']);
    }
  });

  test.each([
    ['state=held', 'state'],
    ['state=', 'state'],
    ['state=active&state=all', 'state'],
    ['condition=slow', 'condition'],
    ['sort=ttl', 'sort'],
    ['sort=--owner', 'sort'],
    ['sort=Owner', 'sort'],
    ['sort=owner,resource', 'sort'],
    ['limit=0', 'limit'],
    ['limit=501', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=1e2', 'limit'],
    ['limit=%201', 'limit'],
    ['limit=', 'limit'],
    ['limit=99999999999999999999', 'limit'],
    ['fencing_token=0', 'fencing_token'],
    ['fencing_token=9007199254740993', 'fencing_token'],
    ['fencing_token=0x10', 'fencing_token'],
    ['asked_min=-1', 'asked_min'],
    ['asked_min=many', 'asked_min'],
    ['q=', 'q'],
    ['q=%00', 'q'],
    ['q=a%0Ab', 'q'],
    ['prefix=', 'prefix'],
    ['owner=', 'owner'],
    ['owner_prefix=', 'owner_prefix'],
    ['client=', 'client'],
    ['cursor=', 'cursor'],
    ['cursor=%20', 'cursor'],
    ['offset=5', 'offset'],
    ['[]=5', '[]'],
    ['sortt=owner', 'sortt'],
    ['q[]=a', 'q[]'],
  ])('refuses %s on its field', async (query, field) => {
    const answer = await api.raw({ method: 'GET', path: `/api/locks?${query}` });
    const body: unknown = JSON.parse(answer.body);
    expect(answer.status).toBe(422);
    const message: unknown = expect.stringMatching(/^(?:must|is|has) /);
    expect(body).toMatchObject({ errors: [{ field, message }] });
  });

  test('names all bad values of one query', async () => {
    const query = { state: 'x', limit: 0, sort: 'y', offset: 1, q: 'x'.repeat(513) };
    const fields = refusedFields(await api.call('list', { query }));
    expect(fields.sort()).toEqual(['limit', 'offset', 'q', 'sort', 'state']);
  });
});

async function allPages(api: Api, query: Query): Promise<LockOnWire[]> {
  const locks: LockOnWire[] = [];
  let cursor: string | null = null;
  do {
    const page: Query = cursor === null ? query : { ...query, cursor };
    const answer = (await api.call('list', { query: { ...page, limit: 2 } })).value();
    locks.push(...answer.locks);
    cursor = answer.next_cursor;
  } while (cursor !== null && locks.length < 1_000);
  return locks;
}

const idOf = (lock: LockOnWire) => lock.id;

/** Text by its UTF-8 bytes, as every store must. */
function by(field: 'resource' | 'owner' | 'acquired_at' | 'expires_at' | 'fencing_token') {
  return (one: LockOnWire, other: LockOnWire): number => {
    const [left, right] = [one[field], other[field]];
    const order =
      typeof left === 'number' && typeof right === 'number'
        ? left - right
        : Buffer.compare(Buffer.from(String(left)), Buffer.from(String(right)));
    return order === 0 ? Number(one.id) - Number(other.id) : order;
  };
}
