import { expect, test } from 'vitest';

import { outcomeOf } from '../support/api';
import { fresh, throughBothDoors, throughDoor } from '../support/both-doors';

throughBothDoors('a path that can not be taken', (api) => {
  const strangers = [{ authorization: '' }, { authorization: 'Bearer hf_wrong' }];

  // What Next's own door does not let through to any route, only the other door can tell.
  test.each(['/api/locks/%00', '/api/locks/%20', '/api/locks/%0a/renew', '/api/nope/%7f'])(
    'is 401 to whoever is not known, whatever is wrong with it: %s',
    async (path) => {
      for (const method of ['GET', 'POST', 'DELETE', 'PUT']) {
        for (const headers of strangers) {
          const { status } = await api.raw({ method, path, headers });
          expect([method, headers, status]).toEqual([method, headers, 401]);
        }
      }
    },
  );
});

/** Next alone redirects, merges or fails on these before a route sees them; npm start's door looks first. */
throughDoor('npm start', 'a path is taken literally or refused', (api) => {
  const headers = { 'content-type': 'application/json' };
  const body = '{"owner":"owner","ttl_ms":60000}';
  const post = (path: string) => api.raw({ method: 'POST', path, headers, body });

  test.each([
    '/api/locks/%',
    '/api/locks/%2',
    '/api/locks/%zz',
    '/api/locks/a%',
    '/api/locks/%E0%A4%A',
    '/api/locks/%FF',
    '/api/locks/%C0%AF',
    '/api/locks/%ED%A0%80',
    '/api/locks/%/renew',
    '/api/%',
    '/api/%/locks/a',
  ])('a broken escape is 422: %s', async (path) => {
    for (const method of ['GET', 'POST', 'DELETE', 'PUT']) {
      expect([method, (await api.raw({ method, path })).status]).toEqual([method, 422]);
      const stranger = { method, path, headers: { authorization: 'Bearer hf_wrong' } };
      expect([method, (await api.raw(stranger)).status]).toEqual([method, 401]);
    }
  });

  test.each([
    '/api/locks/.',
    '/api/locks/..',
    '/api/locks/%2e',
    '/api/locks/%2E%2e',
    '/api/locks/.%2e',
    '/api/locks/a/..',
    '/api/locks/../locks/a',
    '/api/locks/./a',
    '/api/../api/locks/a',
    '/api/locks/a\\b',
    '/api/locks/a#b',
    '/api/locks/',
    '/api/locks//',
    '/api/locks/a//',
    '/api/locks//a',
    '/api/locks/a//b',
    '/api/locks/a/b',
    '/api/locks/a/',
    '/api//locks/a',
    '//api/locks/a',
    '//example.com/api/locks/a',
    '/api/',
    '/api',
    '/api/locks/a/renew/',
    '/api/locks/%00',
    '/api/locks/%0a',
    '/api/locks/%20',
    '*',
  ])('is 422 or 404, never a redirect and never another lock: %s', async (path) => {
    const before = (await api.call('list', { query: { state: 'all' } })).value().counts;
    const answer = await post(path);
    expect([404, 422]).toContain(answer.status);
    expect(answer.headers.location).toBeUndefined();
    const after = (await api.call('list', { query: { state: 'all' } })).value().counts;
    expect(after).toEqual(before);
  });

  test('an escaped slash stays inside its name, in either case of the escape', async () => {
    const end = fresh();
    expect((await post(`/api/locks/a%2Fb-${end}`)).status).toBe(200);
    expect(outcomeOf(await api.call('inspect', { resource: `a/b-${end}` }))).toBe('200');
    const lower = await api.raw({ method: 'GET', path: `/api/locks/a%2fb-${end}` });
    expect(lower.status).toBe(200);
  });

  test('an escape that was not needed changes nothing', async () => {
    const end = fresh();
    expect((await post(`/api/locks/%61%62-${end}`)).status).toBe(200);
    expect(outcomeOf(await api.call('inspect', { resource: `ab-${end}` }))).toBe('200');
  });

  test('dots, colons and other punctuation need no escape', async () => {
    const end = fresh();
    for (const name of [`...-${end}`, `.a-${end}`, `a:b@c-${end}`, `~!$&'()*+,;=-${end}`]) {
      expect([name, (await post(`/api/locks/${name}`)).status]).toEqual([name, 200]);
      expect(outcomeOf(await api.call('inspect', { resource: name }))).toBe('200');
    }
  });

  test.each([
    ['?owner=%E0%A4%A', 'owner'],
    ['?owner=%', 'owner'],
    ['?%=a', 'query'],
    ['?owner=a&__proto__=x', '__proto__'],
    ['?owner=a?', 'owner'],
  ])('a broken query is refused on its field: %s', async (query, field) => {
    const resource = fresh();
    await api.grant(resource, { owner: 'a' });
    const answer = await api.raw({ method: 'DELETE', path: `/api/locks/${resource}${query}` });
    if (query === '?owner=a?') expect(answer.status).toBe(403);
    else {
      expect(answer.status).toBe(422);
      expect(JSON.parse(answer.body)).toMatchObject({ errors: [{ field }] });
    }
    expect(outcomeOf(await api.call('inspect', { resource }))).toBe('200');
  });

  test.each(['TRACE', 'PROPFIND', 'SEARCH', 'M-SEARCH', 'LINK', 'PURGE', 'QUERY'])(
    'a method that no route has is 405: %s',
    async (method) => {
      expect((await api.raw({ method, path: `/api/locks/${fresh()}` })).status).toBe(405);
    },
  );

  test('a page path that Next would redirect or fail on is 404', async () => {
    for (const path of ['//evil.example', '/%', '/a/../b', '/\\evil.example']) {
      const answer = await api.raw({ method: 'GET', path });
      expect([path, answer.status, answer.headers.location]).toEqual([path, 404, undefined]);
    }
  });
});
