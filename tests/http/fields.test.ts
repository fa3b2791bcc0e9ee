import { describe, expect, test } from 'vitest';

import type { EndpointName } from '@/lib/contract/endpoints';

import { outcomeOf, refusedFields } from '../support/api';
import { fresh, shown, everywhere } from '../support/both-doors';

/** A body as JSON text, and the fields that its refusal must name. */
type Case = readonly [json: string, fields: readonly string[]];

const ttlBodies: readonly Case[] = [
  '0',
  '-1',
  '0.4',
  '1.5',
  '"30"',
  '"0"',
  'true',
  'false',
  'null',
  '[]',
  '[30]',
  '{}',
  '1e99',
  '1e400',
  '86401',
  '9007199254740993',
  '8640000000000001',
  '"Infinity"',
].map((value) => [`{"owner":"a","ttl_seconds":${value}}`, ['ttl_seconds']] as const);

const ttlMsBodies: readonly Case[] = ['0', '99', '86400001', '100.5', '"100"', '-100', '1e99'].map(
  (value) => [`{"owner":"a","ttl_ms":${value}}`, ['ttl_ms']] as const,
);

const acquireBodies: readonly Case[] = [
  ...ttlBodies,
  ...ttlMsBodies,
  ['{"owner":"a"}', ['ttl_seconds']],
  ['{"owner":"a","ttl_seconds":1,"ttl_ms":1000}', ['ttl_seconds']],
  ['{"ttl_seconds":1}', ['owner']],
  ['{}', ['owner']],
  ['{"owner":"","ttl_seconds":1}', ['owner']],
  ['{"owner":" a","ttl_seconds":1}', ['owner']],
  ['{"owner":"a ","ttl_seconds":1}', ['owner']],
  ['{"owner":"\\u00a0a","ttl_seconds":1}', ['owner']],
  ['{"owner":"a\\u0000b","ttl_seconds":1}', ['owner']],
  ['{"owner":"a\\nb","ttl_seconds":1}', ['owner']],
  ['{"owner":"a\\u009bb","ttl_seconds":1}', ['owner']],
  ['{"owner":"\\ud800","ttl_seconds":1}', ['owner']],
  [`{"owner":"${'a'.repeat(256)}","ttl_seconds":1}`, ['owner']],
  [`{"owner":"${'é'.repeat(128)}","ttl_seconds":1}`, ['owner']],
  ['{"owner":7,"ttl_seconds":1}', ['owner']],
  ['{"owner":null,"ttl_seconds":1}', ['owner']],
  ['{"owner":["a"],"ttl_seconds":1}', ['owner']],
  ['{"owner":"a","ttl_seconds":1,"fencing_token":1}', ['fencing_token']],
  ['{"owner":"a","ttl_seconds":1,"ttl":1}', ['ttl']],
  ['{"owner":"a","ttl_seconds":1,"Owner":"b","__proto__":{}}', ['Owner', '__proto__']],
  ['{"owner":"a","ttl_seconds":1,"owner":"b"}', ['owner']],
  ['{"owner":"a","ttl_seconds":1,"\\u006fwner":"b"}', ['owner']],
  ['{"owner":"a","ttl_seconds":1,"metadata":{"host":"a","host":"b"}}', ['metadata.host']],
  ['{"owner":"a","ttl_seconds":1,"metadata":null}', ['metadata']],
  ['{"owner":"a","ttl_seconds":1,"metadata":["x"]}', ['metadata']],
  ['{"owner":"a","ttl_seconds":1,"metadata":"x"}', ['metadata']],
  ['{"owner":"a","ttl_seconds":1,"metadata":{"pid":7}}', ['metadata.pid']],
  ['{"owner":"a","ttl_seconds":1,"metadata":{"a":{"b":"c"}}}', ['metadata.a']],
  ['{"owner":"a","ttl_seconds":1,"metadata":{"a":"\\u0007"}}', ['metadata']],
  [`{"owner":"a","ttl_seconds":1,"metadata":${manyEntries(17)}}`, ['metadata']],
  [`{"owner":"a","ttl_seconds":1,"metadata":{"a":"${'x'.repeat(2041)}"}}`, ['metadata']],
  ['null', ['body']],
  ['[]', ['body']],
  ['"x"', ['body']],
  ['7', ['body']],
];

const tokens = ['0', '-1', '1.5', '"1"', 'null', 'true', '9007199254740993', '1e99'];
const tokenBodies = (rest: string): readonly Case[] =>
  tokens.map((token) => [`{${rest}"fencing_token":${token}}`, ['fencing_token']] as const);

const reasons: readonly string[] = ['"ab"', '"  a  "', '7', '""', '"a\\nbc"', '"\\ud800abc"'];
const reasonBodies = (rest: string): readonly Case[] => [
  ...reasons.map((reason) => [`{${rest}"reason":${reason}}`, ['reason']] as const),
  [`{${rest}"reason":"${'x'.repeat(501)}"}`, ['reason']],
];

const cases: Readonly<Partial<Record<EndpointName, readonly Case[]>>> = {
  acquire: acquireBodies,
  renew: [
    ...ttlBodies,
    ...ttlMsBodies,
    ...tokenBodies('"owner":"a","ttl_seconds":1,'),
    ['{"owner":"a","ttl_seconds":1,"fencing_tokn":1}', ['fencing_tokn']],
    ['{"owner":"a","ttl_seconds":1,"metadata":{}}', ['metadata']],
    ['{"owner":"a","ttl_seconds":1,"fencing_token":1,"fencing_token":2}', ['fencing_token']],
  ],
  release: [
    ...tokenBodies('"owner":"a",'),
    ['{"fencing_token":1}', ['owner']],
    ['{"owner":"a","fencing_tokn":1}', ['fencing_tokn']],
    ['{"owner":"a","ttl_seconds":1}', ['ttl_seconds']],
    ['{"owner":"a","owner":"b"}', ['owner']],
  ],
  check: [
    ...tokenBodies(''),
    ['{}', ['fencing_token']],
    ['{"fencing_token":1,"owner":"a"}', ['owner']],
  ],
  forceRelease: [
    ...tokenBodies('"reason":"stuck",'),
    ...reasonBodies('"fencing_token":1,'),
    ['{"reason":"stuck"}', ['fencing_token']],
    ['{"fencing_token":1,"hold_seconds":5}', ['reason']],
    ['{"fencing_token":1,"reason":"stuck","hold_seconds":-1}', ['hold_seconds']],
    ['{"fencing_token":1,"reason":"stuck","hold_seconds":86401}', ['hold_seconds']],
    ['{"fencing_token":1,"reason":"stuck","hold_seconds":"5"}', ['hold_seconds']],
    ['{"fencing_token":1,"reason":"stuck","hold_ms":5}', ['hold_ms']],
    ['{"fencing_token":1,"only_expired":"yes"}', ['only_expired']],
    ['{"fencing_token":1,"only_expired":1}', ['only_expired']],
  ],
  hold: [
    ...reasonBodies('"ttl_seconds":1,'),
    ...tokenBodies('"reason":"stuck","ttl_seconds":1,'),
    ['{"ttl_seconds":1}', ['reason']],
    ['{"reason":"stuck"}', ['ttl_seconds']],
    ['{"reason":"stuck","ttl_seconds":0}', ['ttl_seconds']],
    ['{"reason":"stuck","ttl_seconds":1,"owner":"a"}', ['owner']],
  ],
  askRelease: [
    ...reasonBodies('"fencing_token":1,'),
    ...tokenBodies('"reason":"stuck",'),
    ['{"fencing_token":1}', ['reason']],
    ['{"reason":"stuck"}', ['fencing_token']],
    ['{"reason":"stuck","fencing_token":1,"hold_seconds":5}', ['hold_seconds']],
  ],
  bulkForceRelease: [
    ...reasonBodies('"locks":[{"resource":"a","fencing_token":1}],'),
    ['{}', ['locks']],
    ['{"locks":[]}', ['locks']],
    ['{"locks":{}}', ['locks']],
    ['{"locks":["a"]}', ['locks.0']],
    ['{"locks":[{"resource":"a"},{"resource":"b","resource":"c"}]}', ['locks.1.resource']],
    ['{"locks":[{"resource":"a"}]}', ['locks.0.fencing_token']],
    ['{"locks":[{"fencing_token":1}]}', ['locks.0.resource']],
    ['{"locks":[{"resource":"..","fencing_token":1}]}', ['locks.0.resource']],
    ['{"locks":[{"resource":"a","fencing_token":1,"reason":"abc"}]}', ['locks.0.reason']],
    [
      '{"locks":[{"resource":"a","fencing_token":1},{"resource":"a","fencing_token":2}]}',
      ['locks.1.resource'],
    ],
    [`{"locks":[${manyLocks(501)}]}`, ['locks']],
    ['{"locks":[{"resource":"a","fencing_token":1}],"hold_seconds":5}', ['hold_seconds']],
  ],
};

/** What follows a field's name in a sentence, as opposed to the validator's own "Invalid input: expected …". */
const ourWords = /^(?:must|is|has) /;

everywhere('a wrong field is refused by name', (api) => {
  for (const [name, bodies] of Object.entries(cases) as [EndpointName, readonly Case[]][]) {
    describe(name, () => {
      test.each(bodies.map(([json, fields]) => [shown(json), json, fields] as const))(
        '%s',
        async (_, json, fields) => {
          const answer = await api.call(name, { resource: fresh(), json });
          expect(outcomeOf(answer)).toBe('422 invalid-request');
          expect(refusedFields(answer)).toEqual(fields);
          for (const { field, message } of answer.problem().errors ?? []) {
            expect(answer.problem().detail).toContain(field);
            expect(message).toMatch(ourWords);
          }
        },
      );
    });
  }

  test('all wrong fields are named at once', async () => {
    const body = { owner: '', ttl_ms: 1, metadata: { pid: 7 }, extra: true };
    const answer = await api.call('acquire', { resource: fresh(), body });
    expect(refusedFields(answer)).toEqual(
      expect.arrayContaining(['owner', 'ttl_ms', 'metadata.pid', 'extra']),
    );
  });

  test('values at their limits are taken', async () => {
    const owner = 'é'.repeat(127) + 'x';
    for (const ttl of [{ ttl_ms: 100 }, { ttl_ms: 86_400_000 }, { ttl_seconds: 86_400 }]) {
      const answer = await api.call('acquire', { resource: fresh(), body: { owner, ...ttl } });
      expect(answer.value().acquired).toBe(true);
    }
    const metadata = { a: 'x'.repeat(2_040) };
    expect((await api.grant(fresh(), { metadata })).metadata).toEqual(metadata);
    const many: unknown = JSON.parse(manyEntries(16));
    const body = { owner, ttl_ms: 60_000, metadata: many };
    expect((await api.call('acquire', { resource: fresh(), body })).status).toBe(200);
  });

  test.each([
    ['owner=a&owner=b', 'owner'],
    ['owner=a&fencing_token=1&fencing_token=1', 'fencing_token'],
    ['owner=a&fencing_tokn=1', 'fencing_tokn'],
    ['owner=a&fencing_token=01', 'fencing_token'],
    ['owner=a&fencing_token=1e3', 'fencing_token'],
    ['owner=a&fencing_token=', 'fencing_token'],
    ['owner=a&fencing_token=9007199254740993', 'fencing_token'],
    ['owner=', 'owner'],
    ['owner=%00', 'owner'],
    ['OWNER=a', 'OWNER'],
  ])('in the query of a release: %s', async (query, field) => {
    const answer = await api.raw({ method: 'DELETE', path: `/api/locks/${fresh()}?${query}` });
    expect([answer.status, answer.body]).toEqual([422, expect.stringContaining(`"${field}"`)]);
  });

  test('a release names its owner in the body or in the query, not in both', async () => {
    const body = { owner: 'a' };
    const answer = await api.call('release', { resource: fresh(), query: { owner: 'a' }, body });
    expect(answer.problem().errors).toEqual([
      {
        field: 'owner',
        message: 'must be in the body or in the query, and the request has a body',
      },
    ]);
  });

  test.each(['acquire', 'renew', 'check', 'forceRelease', 'hold', 'askRelease'] as const)(
    '%s takes no query at all',
    async (name) => {
      const query = { owner: 'a', ttl_seconds: 1 };
      const answer = await api.call(name, { resource: fresh(), query, body: {} });
      expect(refusedFields(answer)).toEqual(['owner', 'ttl_seconds']);
    },
  );
});

function manyEntries(count: number): string {
  return JSON.stringify(
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 'v'])),
  );
}

function manyLocks(count: number): string {
  const locks = Array.from({ length: count }, (_, n) => ({ resource: `r${n}`, fencing_token: 1 }));
  return locks.map((lock) => JSON.stringify(lock)).join(',');
}
