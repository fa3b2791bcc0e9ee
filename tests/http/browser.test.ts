import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { createApi, outcomeOf, type Api } from '../support/api';
import { fresh, shown } from '../support/both-doors';
import { adminEnvironment, bearer, testKey } from '../support/callers';
import type { RawRequest } from '../support/http';
import { signIn, trySignIn } from '../support/people';
import { doors, startServer, type TestServer } from '../support/server';

type Headers = NonNullable<RawRequest['headers']>;

const publicOrigin = 'https://locks.example.com';

describe.each(doors)('what browsers add by themselves, through %s', (door) => {
  let server: TestServer;
  let session: { readonly cookie: string; readonly origin: string };
  let admin: Api;
  beforeAll(async () => {
    server = await startServer({ door, environment: adminEnvironment });
    session = await signIn(server);
    admin = createApi(server, session);
  });
  afterAll(() => server.stop());

  const hold = (api: Api, resource: string, headers: Headers = {}) =>
    api.call('hold', { resource, body: { reason: 'a test', ttl_seconds: 60 }, headers });
  const isUntouched = async (resource: string) => {
    const seen = await createApi(server).call('inspect', { resource });
    return outcomeOf(seen) === '404 not-found';
  };

  test('a page of our own writes with its session', async () => {
    expect(outcomeOf(await hold(admin, fresh()))).toBe('200');
  });

  const foreign = [
    'null',
    'http://[',
    'http://example.com',
    'https://127.0.0.1:3000',
    'http://127.0.0.1',
    'http://127.0.0.1:1',
    'http://localhost:3000',
    'file://',
    publicOrigin,
    `http://${'x'.repeat(10_000)}`,
  ];
  test.each(foreign.map((origin) => [shown(origin), origin] as const))(
    'a page of %s neither writes nor reads with it, nor signs in, and changes nothing',
    async (_, origin) => {
      const resource = fresh();
      expect(outcomeOf(await hold(admin, resource, { origin }))).toBe('403 forbidden');
      expect(outcomeOf(await admin.call('list', { headers: { origin } }))).toBe('403 forbidden');
      const key = { name: 'k', client: 'c', scopes: ['read'], patterns: ['*'] };
      const made = await admin.call('createKey', { body: key, headers: { origin } });
      expect(outcomeOf(made)).toBe('403 forbidden');
      const credentials = { email: 'ann@example.com', password: 'wrong password here' };
      expect((await trySignIn(server, credentials, { origin })).status).toBe(403);
      expect(await isUntouched(resource)).toBe(true);
    },
  );

  test('variants of our own origin are other origins', async () => {
    const { origin } = session;
    const variants = [`${origin}/`, `${origin}.example.com`, `${origin}@example.com`, `${origin} `];
    for (const variant of [...variants, `${origin}, http://example.com`]) {
      const resource = fresh();
      const answer = await hold(admin, resource, { origin: variant });
      // White space at the end is no part of a header.
      const expected = variant === `${origin} ` ? '200' : '403 forbidden';
      expect([variant, outcomeOf(answer)]).toEqual([variant, expected]);
    }
  });

  test('a write without an origin, or with two, is refused; a read needs none', async () => {
    const { cookie, origin } = session;
    const bare = createApi(server, { cookie });
    const resource = fresh();
    expect(outcomeOf(await hold(bare, resource))).toBe('403 forbidden');
    const twice = createApi(server, { cookie, origin: [origin, origin] });
    expect(outcomeOf(await hold(twice, resource))).toBe('403 forbidden');
    const both = createApi(server, { cookie, origin: [origin, 'http://example.com'] });
    expect(outcomeOf(await hold(both, resource))).toBe('403 forbidden');
    expect(await isUntouched(resource)).toBe(true);
    expect(outcomeOf(await bare.call('list'))).toBe('200');
  });

  test.each<Headers>([
    { 'x-middleware-subrequest': Array(5).fill('middleware').join(':') },
    { 'x-middleware-subrequest': Array(5).fill('src/proxy').join(':') },
    { 'x-forwarded-host': 'example.com', 'x-forwarded-proto': 'https' },
    { 'x-forwarded-for': '127.0.0.1', 'x-real-ip': '127.0.0.1', forwarded: 'host=localhost' },
    { 'x-original-host': 'localhost', 'x-host': 'localhost' },
    { 'x-http-method-override': 'GET', 'x-method-override': 'GET' },
    { 'sec-fetch-site': 'same-origin' },
    { referer: 'http://127.0.0.1:3000/' },
  ])('no other header makes up for a foreign origin: %o', async (extra) => {
    const resource = fresh();
    const headers = { origin: 'http://example.com', ...extra };
    expect(outcomeOf(await hold(admin, resource, headers))).toBe('403 forbidden');
    const nobody = createApi(server, {});
    expect(outcomeOf(await nobody.call('list', { headers: extra }))).toBe('401 unauthenticated');
    expect(await isUntouched(resource)).toBe(true);
  });

  test('a name that may have been rebound to this address has no sessions', async () => {
    for (const host of ['example.com', 'localhost.example.com', '127.0.0.1.example.com']) {
      const headers = { host, origin: `http://${host}` };
      expect(outcomeOf(await admin.call('list', { headers }))).toBe('403 forbidden');
      expect(outcomeOf(await hold(admin, fresh(), headers))).toBe('403 forbidden');
    }
    for (const host of ['localhost', 'localhost:1234', '[::1]:80', '10.0.0.7', 'a.localhost']) {
      const headers = { host, origin: `http://${host}` };
      expect([host, outcomeOf(await admin.call('list', { headers }))]).toEqual([host, '200']);
    }
  });

  test('keys are for programs: they work whatever the page, the name or the cookie', async () => {
    const cookie = 'holdfast.session_token=forged.signature';
    for (const headers of [{ origin: 'http://example.com' }, { host: 'example.com' }, { cookie }]) {
      const answer = await createApi(server, { ...bearer(testKey), ...headers }).call('list');
      expect(outcomeOf(answer)).toBe('200');
    }
  });

  test('who names a key that is wrong is not asked for a session as well', async () => {
    const both = createApi(server, { ...session, ...bearer('hf_wrong') });
    expect(outcomeOf(await both.call('list'))).toBe('401 unauthenticated');
  });

  test('a form of a foreign page can not make a body', async () => {
    const headers = { 'content-type': 'text/plain' };
    const asText = await admin.call('hold', { resource: fresh(), json: '{}', headers });
    expect(outcomeOf(asText)).toBe('415 unsupported-media-type');
    const credentials = { email: 'ann@example.com', password: 'wrong password here' };
    expect((await trySignIn(server, credentials, headers)).status).toBe(415);
  });

  test('a header can not turn one method into another', async () => {
    const api = createApi(server);
    const resource = fresh();
    const override = { 'x-http-method-override': 'DELETE', 'x-method-override': 'DELETE' };
    await api.grant(resource);
    const get = await api.call('inspect', { resource, headers: override });
    expect(get.value().lock.owner).toBe('owner');
    const path = `/api/locks/${resource}?_method=DELETE`;
    expect((await api.raw({ method: 'GET', path })).status).toBe(422);
    expect(outcomeOf(await api.call('inspect', { resource }))).toBe('200');
  });

  test('a name with line breaks is refused, and splits no header', async () => {
    const api = createApi(server);
    for (const name of ['a\r\nSet-Cookie: x=1', 'a\nb', 'a\u0000b']) {
      const answer = await api.call('inspect', { resource: name });
      expect(outcomeOf(answer)).toBe('422 invalid-request');
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
  });
});
