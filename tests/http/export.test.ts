import { request, type IncomingMessage } from 'node:http';

import { expect, test } from 'vitest';

import { createApi, pathTo, refusedFields } from '../support/api';
import { everywhere, fresh, throughDoor } from '../support/both-doors';
import { bearer, testKey } from '../support/callers';
import { parseCsv } from '../support/csv';
import { doors } from '../support/server';
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
        const answer = await open(server.url, pathTo('exportLocks', { query: { q: resource } }));
        expect(answer.statusCode).toBe(200);
        answer.destroy();
      }
      const one = createApi(server);
      expect(
        (await one.call('exportLocks', { query: { q: resource } })).body.length,
      ).toBeGreaterThan(2_000 * 655);
    });
  });
}

/** An answer whose body nobody reads. */
function open(url: string, path: string): Promise<IncomingMessage> {
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    const call = request(new URL(path, url), { headers: bearer(testKey), agent: false }, resolve);
    call.on('error', reject);
    call.end();
  });
  return deadline(answered, 30_000, () => 'there is no answer');
}
