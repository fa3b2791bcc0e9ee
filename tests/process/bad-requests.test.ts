import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';

import type { Endpoint } from '@/lib/contract/endpoint';
import type { EndpointName } from '@/lib/contract/endpoints';

import { createApi, endpoints, pathTo, type Api } from '../support/api';
import { dump } from '../support/database';
import type { RawRequest } from '../support/http';
import { createRandom } from '../support/random';
import { startServer, type TestServer } from '../support/server';

const requests = 2_000;
const abreast = 8;

let server: TestServer;
let api: Api;
beforeAll(async () => {
  server = await startServer();
  api = createApi(server);
});
afterAll(() => server.stop());

test(`${requests} bad requests get an answer each, none of them a 5xx, and change nothing`, async () => {
  await api.grant('target', { owner: 'holder', ttlMs: 3_600_000 });
  await api.grant('other/target', { owner: 'holder', ttlMs: 3_600_000 });
  const before = dump(server.databaseFile);
  const { seed } = createRandom('bad requests');
  const bad = fc.sample(badRequest, { seed, numRuns: requests });
  expect(bad).toHaveLength(requests);

  const statuses = new Map<number, number>();
  const queue = bad.entries();
  await Promise.all(
    Array.from({ length: abreast }, async () => {
      for (const [index, request] of queue) {
        const told = `seed ${seed}, request ${index}: ${JSON.stringify(request)}`;
        const { status } = await answerTo(request, told);
        expect([status >= 400 && status < 500, told]).toEqual([true, told]);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    }),
  );
  expect(dump(server.databaseFile)).toEqual(before);
  for (const status of [400, 401, 403, 404, 405, 413, 415, 422])
    expect([...statuses.keys()]).toContain(status);
  await api.grant('afterwards');
}, 180_000);

async function answerTo(request: RawRequest, told: string) {
  try {
    return await api.raw(request);
  } catch (error) {
    throw new Error(told, { cause: error });
  }
}

const json = { 'content-type': 'application/json' };
const names = Object.keys(endpoints) as EndpointName[];
const endpointName = fc.constantFrom(...names);
const bodyEndpointName = fc.constantFrom(...names.filter((name) => endpoints[name].body !== null));

/** Fields that mean something somewhere, with values that are mostly wrong. */
const field = fc.constantFrom(
  'owner',
  'ttl_seconds',
  'ttl_ms',
  'metadata',
  'fencing_token',
  'reason',
  'hold_seconds',
  'only_expired',
  'locks',
  'resource',
  'client',
  '__proto__',
  'constructor',
  'toString',
  '',
);
const value = fc.oneof(
  fc.constantFrom<unknown>(
    0,
    -1,
    1,
    0.5,
    1e99,
    '',
    ' ',
    'abc',
    'holder',
    true,
    false,
    null,
    [],
    {},
    '\u0000',
    '\ud800',
    2 ** 53,
  ),
  fc.jsonValue(),
  fc.string({ unit: 'binary', maxLength: 600 }),
);

/** A body that the endpoint's own schema refuses. */
const badBody = bodyEndpointName.chain((name) =>
  fc
    .oneof(fc.dictionary(field, value, { maxKeys: 6 }), fc.jsonValue())
    .filter((body) => !accepts(endpoints[name], body))
    .map((body): RawRequest => request(name, { body: JSON.stringify(body), headers: json })),
);

function accepts(endpoint: Endpoint, body: unknown): boolean {
  const asSent: unknown = JSON.parse(JSON.stringify(body));
  return endpoint.body?.safeParse(asSent).success ?? false;
}

const brokenJson = fc
  .tuple(
    bodyEndpointName,
    fc.oneof(
      fc.string(),
      fc.json().map((text) => text.slice(1)),
      fc.constant('{"owner":'),
    ),
  )
  .filter(([, text]) => !parses(text))
  .map(([name, body]): RawRequest => request(name, { body, headers: json }));

const brokenBytes = fc
  .tuple(bodyEndpointName, fc.uint8Array({ minLength: 1, maxLength: 300 }))
  .map(([name, bytes]): RawRequest =>
    request(name, { body: Uint8Array.of(0xff, ...bytes), headers: json }),
  );

const badType = fc
  .tuple(
    bodyEndpointName,
    fc.constantFrom(
      'text/plain',
      '',
      'application/xml',
      'application/json+x',
      'multipart/form-data',
    ),
  )
  .map(([name, type]): RawRequest =>
    request(name, { body: good, headers: { 'content-type': type } }),
  );

const hugeBody = fc
  .tuple(bodyEndpointName, fc.integer({ min: 1, max: 70_000 }), fc.boolean())
  .map(([name, more, isChunked]): RawRequest => {
    const body = ' '.repeat(endpoints[name].bodyBytesMax + more);
    return request(name, isChunked ? { chunks: [body], headers: json } : { body, headers: json });
  });

const unknownQuery = fc
  .tuple(endpointName, fc.string({ minLength: 1, maxLength: 20 }), fc.string({ maxLength: 20 }))
  .map(([name, key, text]): RawRequest => {
    const { path, ...rest } = request(name, { headers: json, body: bodyFor(name) });
    return { ...rest, path: `${path}?x-${escaped(key)}=${escaped(text)}` };
  });

const badListQuery = fc
  .tuple(
    fc.constantFrom('state', 'condition', 'sort', 'limit', 'cursor', 'fencing_token', 'asked_min'),
    fc.oneof(
      fc.string({ maxLength: 30 }).map((text) => `~${escaped(text)}`),
      fc.constantFrom('%', '%zz', '%FF', '%E0%A4%A', '%00', 'a&limit=1&limit=2'),
    ),
  )
  .map(([key, text]): RawRequest => ({
    method: 'GET',
    path: `/api/locks?${key}=${text}`,
  }));

/** A resource that can't be: too long, with control characters, or not even an escape. */
const badResource = fc
  .tuple(
    endpointName.filter((name) => endpoints[name].path.includes('{resource}')),
    fc.oneof(
      fc.constantFrom(
        '%',
        '%zz',
        '%E0%A4%A',
        '%FF',
        '.',
        '..',
        '%2e%2e',
        '%00',
        '%20a',
        'a%0A',
        '%C2%85',
        'a\\b',
        'a#b',
      ),
      fc.integer({ min: 513, max: 2_000 }).map((length) => 'x'.repeat(length)),
      fc.string({ minLength: 1, maxLength: 10 }).map((text) => `${escaped(text)}%01`),
    ),
  )
  .map(([name, segment]): RawRequest => ({
    method: endpoints[name].method,
    path: endpoints[name].path.replace('{resource}', () => segment),
    ...(endpoints[name].body === null ? {} : { headers: json, body: bodyFor(name) }),
  }));

const noRoute = fc
  .tuple(
    fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),
    fc.array(fc.string({ minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 4 }),
  )
  .map(([method, parts]): RawRequest => ({
    method,
    path: `/api/x${parts.map(escaped).join('/')}`,
  }));

const wrongMethod = fc
  .tuple(endpointName, fc.constantFrom('PUT', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND'))
  .map(([name, method]): RawRequest => ({ ...request(name, {}), method }));

/** From nobody who is known, or by a session of another site's page. */
const foreign = fc
  .tuple(
    endpointName.filter((name) => endpoints[name].access !== 'anybody'),
    fc.oneof(
      fc.record({
        authorization: fc.constantFrom(
          '',
          'Bearer',
          'Bearer ',
          'Bearer hf_x',
          'Basic eDp5',
          'hf_x',
        ),
      }),
      fc.record({
        authorization: fc.constant(''),
        cookie: fc.constantFrom('holdfast.session_token=', 'holdfast.session_token=a.b; ;=;'),
        origin: fc.constantFrom('null', 'http://example.com', 'http://[', '*', 'x'.repeat(5_000)),
      }),
    ),
  )
  .map(([name, headers]): RawRequest =>
    request(name, { headers: { ...json, ...headers }, body: bodyFor(name) }),
  );

/** Well-formed, but not the caller's to do. */
const notAllowed = fc.constantFrom<RawRequest>(
  request('renew', { headers: json, body: '{"owner":"stranger","ttl_seconds":5}' }),
  request('renew', {
    headers: json,
    body: '{"owner":"holder","ttl_seconds":5,"fencing_token":999999}',
  }),
  request('release', { headers: json, body: '{"owner":"stranger"}' }),
  request('release', { headers: json, body: '{"owner":"holder","fencing_token":999999}' }),
  request('forceRelease', { headers: json, body: '{"fencing_token":999999,"reason":"stuck"}' }),
  request('forceRelease', { headers: json, body: '{"fencing_token":1}' }),
  request('forceRelease', {
    headers: json,
    body: '{"fencing_token":1,"reason":"stuck","only_expired":true}',
  }),
  request('hold', { headers: json, body: '{"reason":"stuck","ttl_seconds":5}' }),
  request('hold', {
    headers: json,
    body: '{"reason":"stuck","ttl_seconds":5,"fencing_token":999999}',
  }),
  request('askRelease', { headers: json, body: '{"reason":"stuck","fencing_token":999999}' }),
  { method: 'GET', path: '/api/locks/free' },
);

const badRequest = fc.oneof(
  { weight: 6, arbitrary: badBody },
  { weight: 2, arbitrary: brokenJson },
  { weight: 1, arbitrary: brokenBytes },
  { weight: 1, arbitrary: badType },
  { weight: 1, arbitrary: hugeBody },
  { weight: 2, arbitrary: unknownQuery },
  { weight: 2, arbitrary: badListQuery },
  { weight: 3, arbitrary: badResource },
  { weight: 1, arbitrary: noRoute },
  { weight: 1, arbitrary: wrongMethod },
  { weight: 1, arbitrary: foreign },
  { weight: 1, arbitrary: notAllowed },
);

const good = '{"owner":"holder","ttl_seconds":5}';

function bodyFor(name: EndpointName): string | undefined {
  return endpoints[name].body === null ? undefined : good;
}

function request(name: EndpointName, rest: Partial<RawRequest>): RawRequest {
  return { method: endpoints[name].method, path: pathTo(name, { resource: 'target' }), ...rest };
}

/** A lone surrogate has no escape. */
function escaped(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
