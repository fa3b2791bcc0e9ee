import { describe, expect, test } from 'vitest';

import type { EndpointName } from '@/lib/contract/endpoints';

import { endpoints } from '../support/api';
import { fresh, throughBothDoors } from '../support/both-doors';

const allMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** What each path takes, by the endpoint table; whoever takes GET takes HEAD. */
function methodsByPath(): Map<string, Set<string>> {
  const paths = new Map<string, Set<string>>();
  for (const { path, method } of Object.values(endpoints)) {
    const methods = paths.get(path) ?? new Set<string>();
    methods.add(method);
    if (method === 'GET') methods.add('HEAD');
    paths.set(path, methods);
  }
  return paths;
}

throughBothDoors('routes', (api) => {
  describe.each([...methodsByPath()])('%s', (path, allowed) => {
    const undeclared = allMethods.filter((method) => !allowed.has(method));
    test.each(undeclared)(
      'answers 405 to %s, and names the methods that it takes',
      async (method) => {
        const resource = fresh();
        await api.grant(resource);
        const answer = await api.raw({
          method,
          path: path.replace('{resource}', resource),
          ...(method === 'OPTIONS' ? {} : { headers: { 'content-type': 'application/json' } }),
          body: '{"owner":"owner","ttl_ms":60000}',
        });
        expect(answer.status).toBe(405);
        expect(new Set(answer.headers.allow?.split(', '))).toEqual(allowed);
        expect((await api.call('inspect', { resource })).value().lock.renew_count).toBe(0);
      },
    );
  });

  test.each([
    '/api/nope',
    '/api/locks/a/b',
    '/api/locks/a/renew/b',
    '/api/locks/a/RENEW',
    '/api/Locks',
    '/api/locks.json',
    '/api/health',
    '/api/health/alive',
    '/api/force-release/a',
    '/api/locks/a/b/renew',
    '/api/openapi.yaml',
    '/api/%6Cocks%2Fa',
  ])('%s is no route, whatever the method', async (path) => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await api.raw({ method, path });
      expect([method, answer.status]).toEqual([method, 404]);
      expect(answer.headers['content-type']).toBe('application/problem+json');
    }
  });

  test.each(['inspect', 'list', 'lockEvents', 'live', 'ready', 'openapi'] as const)(
    'HEAD answers as GET does, without the body: %s',
    async (name: EndpointName) => {
      const resource = fresh();
      await api.grant(resource);
      const path = endpoints[name].path.replace('{resource}', resource);
      const [head, get] = [
        await api.raw({ method: 'HEAD', path }),
        await api.raw({ method: 'GET', path }),
      ];
      expect([head.status, head.body]).toEqual([200, '']);
      expect(head.headers['content-type']).toBe(get.headers['content-type']);
    },
  );

  test('health says that the process answers and that its store does', async () => {
    expect((await api.call('live')).value()).toEqual({ status: 'ok' });
    expect((await api.call('ready')).value()).toEqual({ status: 'ok' });
  });

  test.each(['a', 'A-b.c_9', '0'.repeat(128)])('a caller may name its request: %s', async (id) => {
    const headers = { 'x-request-id': id };
    const list = await api.call('list', { headers });
    expect(list.headers['x-request-id']).toBe(id);
    const missing = await api.call('inspect', { resource: fresh(), headers });
    expect(missing.headers['x-request-id']).toBe(id);
    expect(missing.problem().instance).toContain(id);
  });

  test.each(['', ' ', '0'.repeat(129), 'a b', 'a/b', 'a\u00e9', '"a"', 'a,b', '<x>'])(
    'a request id that could break a log line is replaced: %s',
    async (id) => {
      const headers = { 'x-request-id': id };
      const { headers: answered } = await api.call('list', { headers });
      expect(answered['x-request-id']).not.toBe(id);
    },
  );

  test('a request id that is given twice is replaced', async () => {
    const headers = { 'x-request-id': ['one', 'two'] };
    const { headers: answered } = await api.call('list', { headers });
    expect(answered['x-request-id']).not.toContain('one');
  });

  test('answers are never to be kept, compressed into surprises or guessed at', async () => {
    const { headers } = await api.call('list');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['x-powered-by']).toBeUndefined();
    expect(headers['set-cookie']).toBeUndefined();
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  test('every read tells the truth of this moment, not of an earlier answer', async () => {
    const resource = fresh();
    for (let round = 0; round < 3; round += 1) {
      await api.grant(resource);
      expect((await api.call('inspect', { resource })).status).toBe(200);
      const { locks } = (await api.call('list', { query: { prefix: resource } })).value();
      expect(locks).toHaveLength(1);
      await api.call('release', { resource, body: { owner: 'owner' } });
      expect((await api.call('inspect', { resource })).status).toBe(404);
      const after = (await api.call('list', { query: { prefix: resource } })).value();
      expect(after.locks).toHaveLength(0);
    }
  });
});
