import { expect, test } from 'vitest';

import { outcomeOf } from '../support/api';
import { fresh, shown, throughBothDoors } from '../support/both-doors';
import type { RawRequest } from '../support/http';

type Headers = NonNullable<RawRequest['headers']>;

throughBothDoors('without access control, only this machine and our own pages', (api) => {
  const acquireWith = (resource: string, headers: Headers) =>
    api.call('acquire', { resource, body: { owner: 'owner', ttl_ms: 60_000 }, headers });

  test.each([
    'localhost',
    'localhost:3000',
    'LOCALHOST',
    '127.0.0.1',
    '127.0.0.1:65535',
    '127.8.7.6',
    '[::1]',
    '[::1]:3000',
    'holdfast.localhost:3000',
  ])('a request addressed to %s is served', async (host) => {
    expect(outcomeOf(await acquireWith(fresh(), { host }))).toBe('200');
  });

  test.each(
    [
      'example.com',
      'example.com:3000',
      '10.0.0.7',
      '0.0.0.0',
      '127.0.0.1.example.com',
      'localhost.example.com',
      'example.com:localhost',
      'localhost@example.com',
      '128.0.0.1',
      '[::]',
      '2130706433',
      'localhost:',
      'x'.repeat(10_000),
    ].map((host) => [shown(host), host] as const),
  )('a request addressed to %s is refused, and changes nothing', async (_, host) => {
    const resource = fresh();
    expect(outcomeOf(await acquireWith(resource, { host }))).toBe('403 forbidden');
    expect(outcomeOf(await api.call('inspect', { resource, headers: { host } }))).toBe(
      '403 forbidden',
    );
    expect(outcomeOf(await api.call('inspect', { resource }))).toBe('404 not-found');
  });

  const host = '127.0.0.1:3000';

  test('a page of our own is served', async () => {
    const headers = { host, origin: `http://${host}` };
    expect(outcomeOf(await acquireWith(fresh(), headers))).toBe('200');
  });

  test.each(
    [
      'null',
      '',
      'http://[',
      'http://example.com',
      'https://127.0.0.1:3000',
      'http://127.0.0.1',
      'http://127.0.0.1:3001',
      'http://localhost:3000',
      'http://127.0.0.1:3000/',
      'http://127.0.0.1:3000.example.com',
      'http://127.0.0.1:3000@example.com',
      'http://127.0.0.1:3000, http://example.com',
      'file://',
      `http://${'x'.repeat(10_000)}`,
    ].map((origin) => [shown(origin), origin] as const),
  )('a page of another origin is refused, and changes nothing: %s', async (_, origin) => {
    const resource = fresh();
    expect(outcomeOf(await acquireWith(resource, { host, origin }))).toBe('403 forbidden');
    expect(outcomeOf(await api.call('list', { headers: { host, origin } }))).toBe('403 forbidden');
    expect(outcomeOf(await api.call('live', { headers: { host, origin } }))).toBe('403 forbidden');
    const unknown = { method: 'GET', path: '/api/nope', headers: { host, origin } };
    expect((await api.raw(unknown)).status).toBe(403);
    expect(outcomeOf(await api.call('inspect', { resource }))).toBe('404 not-found');
  });

  test.each<Headers>([
    { 'x-middleware-subrequest': Array(5).fill('middleware').join(':') },
    { 'x-middleware-subrequest': Array(5).fill('src/middleware').join(':') },
    { 'x-forwarded-host': '127.0.0.1:3000' },
    { 'x-forwarded-for': '127.0.0.1', 'x-real-ip': '127.0.0.1', forwarded: 'host=localhost' },
    { 'x-original-host': 'localhost', 'x-host': 'localhost' },
    { 'x-http-method-override': 'GET', 'x-method-override': 'GET' },
  ])('no other header makes up for it: %o', async (extra) => {
    const resource = fresh();
    const foreign: Headers[] = [{ host: 'example.com' }, { host, origin: 'http://example.com' }];
    for (const headers of foreign) {
      const all = { ...headers, ...extra };
      expect(outcomeOf(await acquireWith(resource, all))).toBe('403 forbidden');
    }
    expect(outcomeOf(await api.call('inspect', { resource }))).toBe('404 not-found');
  });

  test('a foreign name in a forwarding header does not matter when the request is addressed to this machine', async () => {
    const headers = { 'x-forwarded-host': 'example.com', 'x-forwarded-proto': 'https' };
    expect(outcomeOf(await acquireWith(fresh(), headers))).toBe('200');
  });

  test('a header can not turn one method into another', async () => {
    const resource = fresh();
    const override = { 'x-http-method-override': 'DELETE', 'x-method-override': 'DELETE' };
    await acquireWith(resource, override);
    expect(outcomeOf(await acquireWith(resource, override))).toBe('200');
    const get = await api.call('inspect', { resource, headers: override });
    expect(get.value().lock.owner).toBe('owner');
    const path = `/api/locks/${resource}?_method=DELETE`;
    expect((await api.raw({ method: 'GET', path })).status).toBe(422);
    expect(outcomeOf(await api.call('inspect', { resource }))).toBe('200');
  });
});
