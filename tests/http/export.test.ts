import { request, type IncomingMessage } from 'node:http';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { createApi, pathTo, refusedFields, type Api } from '../support/api';
import { everywhere, fresh, throughDoor } from '../support/both-doors';
import { adminEnvironment, bearer, testKey } from '../support/callers';
import { parseCsv } from '../support/csv';
import { signIn } from '../support/people';
import { doors, startServer, type TestServer } from '../support/server';
import { deadline } from '../support/waiting';

const byteOrderMark = '\uFEFF';

everywhere('the tables for spreadsheets', (api) => {
  async function table(name: 'exportEvents' | 'exportLocks', query = {}) {
    const { body } = await api.call(name, { query });
    expect(body.startsWith(byteOrderMark)).toBe(true);
    return parseCsv(body.slice(1));
  }

  test('have the fields of the JSON answers as columns, and the same values', async () => {
    const prefix = fresh();
    const resource = `${prefix}/"quoted", and; more 文字`;
    await api.grant(resource, { metadata: { host: 'a,"b' } });
    await api.grant(resource);
    const query = { resource: `${prefix}/*` };
    const { events } = (await api.call('events', { query })).value();
    const rows = await table('exportEvents', query);
    expect(rows).toEqual(
      events.map((event) =>
        Object.fromEntries(
          Object.entries(event).map(([field, value]) => [field, String(value ?? '')]),
        ),
      ),
    );
    const { locks } = (await api.call('list', { query: { prefix } })).value();
    const [lock] = await table('exportLocks', { prefix });
    expect(Object.keys(lock ?? {})).toEqual(Object.keys(locks[0] ?? {}));
    expect(lock).toMatchObject({ resource, owner: 'owner', ttl_ms: '60000', state: 'active' });
  });

  test('tell objects as JSON', async () => {
    const resource = fresh();
    const metadata = { host: 'a,"b' };
    await api.grant(resource, { metadata });
    const [lock] = await table('exportLocks', { prefix: resource });
    expect(JSON.parse(lock?.['metadata'] ?? '')).toEqual(metadata);
  });

  test.each(['=1+1', '+1', '-1', '@SUM(A1)', '＝1', '＋1', '－1', '＠x', "'=1", "''-1"])(
    'keep %s from being a formula, and it can be had back',
    async (owner) => {
      const resource = fresh();
      await api.grant(resource, { owner });
      const [event] = await table('exportEvents', { resource });
      const [lock] = await table('exportLocks', { prefix: resource });
      expect([event?.['owner'], lock?.['owner']]).toEqual([`'${owner}`, `'${owner}`]);
    },
  );

  test('take the filters of the lists, and no page', async () => {
    const prefix = fresh();
    for (const owner of ['a', 'b']) await api.grant(`${prefix}/${owner}`, { owner });
    const ascending = await table('exportLocks', { prefix, sort: '-owner' });
    expect(ascending.map((lock) => lock['owner'])).toEqual(['b', 'a']);
    expect(await table('exportLocks', { prefix, owner: 'a' })).toHaveLength(1);
    expect(await table('exportLocks', { prefix, state: 'expired' })).toEqual([]);
    expect(await table('exportEvents', { resource: `${prefix}/a` })).toHaveLength(1);
    expect(await table('exportEvents', { resource: `${prefix}/*`, kind: 'operator' })).toEqual([]);
    for (const name of ['exportLocks', 'exportEvents'] as const) {
      for (const query of [{ limit: 1 }, { cursor: 'x' }]) {
        const answer = await api.call(name, { query });
        expect(refusedFields(answer)).toEqual(Object.keys(query));
      }
    }
  });

  test('are files to be kept, of UTF-8, with a name of their own', async () => {
    for (const name of ['exportLocks', 'exportEvents'] as const) {
      const given = { path: pathTo(name, { query: name === 'exportLocks' ? { q: fresh() } : {} }) };
      const { headers } = await api.raw({ method: 'GET', ...given });
      expect(headers['content-type']).toMatch(/^text\/csv; *charset=utf-8/);
      expect(headers['content-disposition']).toMatch(/^attachment; filename="holdfast-\w+\.csv"$/);
      const head = await api.raw({ method: 'HEAD', ...given });
      expect([head.status, head.headers['content-type']]).toEqual([200, headers['content-type']]);
    }
  });

  test('hold more than a page', async () => {
    const resource = fresh();
    const release = { owner: 'owner' };
    for (let count = 0; count < 300; count += 1) {
      await api.grant(resource);
      await api.call('release', { resource, body: release });
    }
    const rows = await table('exportEvents', { resource: `${resource}*` });
    expect(new Set(rows.map((row) => row['id'])).size).toBe(600);
    const names = Array.from({ length: 620 }, (_, index) => `${resource}/${index}`);
    await Promise.all(names.map((name) => api.grant(name)));
    const locks = await table('exportLocks', { prefix: `${resource}/` });
    expect(new Set(locks.map((lock) => lock['resource']))).toEqual(new Set(names));
  });
});

for (const door of doors) {
  throughDoor(door, 'a reader who goes away', (api, server) => {
    test('ends the making of the table, and the service goes on', async () => {
      const resource = fresh();
      const owner = 'o'.repeat(255);
      for (let batch = 0; batch < 20; batch += 1) {
        await Promise.all(
          Array.from({ length: 100 }, (_, index) =>
            api.grant(`${resource}/${batch}/${index}/${'n'.repeat(400)}`, { owner }),
          ),
        );
      }
      for (let round = 0; round < 20; round += 1) {
        // The places of those who have gone are given back, which may take the server a moment.
        const begin = async () => {
          const answer = await open(server.url, pathTo('exportLocks', { query: { q: resource } }));
          answer.destroy();
          return answer.statusCode;
        };
        await expect.poll(begin, { timeout: 10_000, interval: 50 }).toBe(200);
      }
      const one = createApi(server);
      const whole = async () =>
        (await one.call('exportLocks', { query: { q: resource } })).body.length;
      await expect.poll(whole, { timeout: 10_000, interval: 100 }).toBeGreaterThan(2_000 * 655);
    });
  });
}

describe.each(doors)('a table under way, through %s', (door) => {
  const prefix = fresh();
  const path = pathTo('exportLocks', { query: { prefix } });
  let server: TestServer;
  let admin: Api;
  beforeAll(async () => {
    server = await startServer({ door, environment: adminEnvironment });
    admin = createApi(server, await signIn(server));
    // More than sockets hold by themselves.
    const api = createApi(server);
    const metadata = { host: 'h'.repeat(1_900) };
    for (let batch = 0; batch < 40; batch += 1) {
      await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          api.grant(`${prefix}/${batch}/${index}`, { metadata }),
        ),
      );
    }
  });
  afterAll(() => server.stop());

  async function newKey() {
    const body = { name: fresh('key'), client: 'svc', scopes: ['read'], patterns: ['*'] };
    return (await admin.call('createKey', { body })).value();
  }

  test('ends for a key that is revoked meanwhile, and is not taken for whole', async () => {
    const { key, secret } = await newKey();
    const answer = await open(server.url, path, secret);
    expect(answer.statusCode).toBe(200);
    await admin.call('revokeKey', { id: key.id });
    await expect(deadline(lengthOf(answer), 30_000, () => 'the table goes on')).rejects.toThrow();
  });

  test('takes one of two places of its caller, and gives it back', async () => {
    const { secret } = await newKey();
    const first = await open(server.url, path, secret);
    const second = await open(server.url, path, secret);
    expect([first.statusCode, second.statusCode]).toEqual([200, 200]);
    const third = await open(server.url, path, secret);
    expect(third.statusCode).toBe(429);
    expect(third.headers['retry-after']).toBe('2');
    third.destroy();
    const other = await open(server.url, path, (await newKey()).secret);
    expect(other.statusCode).toBe(200);
    other.destroy();
    second.destroy();
    expect(await lengthOf(first)).toBeGreaterThan(4_000 * 1_900);
    const again = async () => {
      const answer = await open(server.url, path, secret);
      answer.destroy();
      return answer.statusCode;
    };
    await expect.poll(again, { timeout: 10_000, interval: 50 }).toBe(200);
  });
});

/** @throws when the connection is cut before the end. */
async function lengthOf(answer: IncomingMessage): Promise<number> {
  let length = 0;
  for await (const piece of answer) length += Buffer.from(piece as Uint8Array).length;
  return length;
}

/** An answer whose body nobody reads. */
function open(url: string, path: string, key = testKey): Promise<IncomingMessage> {
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    const call = request(new URL(path, url), { headers: bearer(key), agent: false }, resolve);
    call.on('error', reject);
    call.end();
  });
  return deadline(answered, 30_000, () => 'there is no answer');
}
