import { describe, expect, test } from 'vitest';

import { assertFenced, createClient, type WaitOptions } from '@/client/src/index';

let sent = 0;
const client = createClient({
  url: 'http://holdfast.test/under/',
  fetch: () => {
    sent += 1;
    return Promise.reject(new TypeError('Nothing may be sent'));
  },
});

/** What a caller without types may give. */
function given(value: unknown): never {
  return value as never;
}

describe('before anything is sent, a client refuses', () => {
  test.each([0, 99, 0.4, -1, NaN, Infinity, 2 ** 53, '1000', null, [], true])(
    'a TTL of %j',
    async (ttlMs) => {
      const options = { ttlMs: given(ttlMs) };
      await expect(client.tryAcquire('job', options)).rejects.toMatchObject({
        code: 'bad-argument',
        argument: 'ttlMs',
      });
    },
  );

  test.each<[string, WaitOptions]>([
    ['waitMs', { waitMs: -1 }],
    ['waitMs', { waitMs: NaN }],
    ['maxHoldMs', { maxHoldMs: 0 }],
    ['metadata.job', { job: 'a\u0000b' }],
    ['metadata', { link: 'x'.repeat(3_000) }],
    ['metadata.n', { metadata: given({ n: 1 }) }],
    [
      'metadata',
      { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`k${n}`, ''])) },
    ],
  ])('a wrong %s', async (argument, options) => {
    const before = sent;
    await expect(client.acquire('job', options)).rejects.toMatchObject({ argument });
    expect(sent).toBe(before);
  });

  test.each(['', '.', '..', ' job', 'job\u00a0', 'a\nb', '\ud800', 'é'.repeat(257), 42, undefined])(
    'the name %j',
    async (name) => {
      const before = sent;
      const resource = given(name);
      for (const call of [
        client.tryAcquire(resource),
        client.inspect(resource),
        client.check(resource, 1),
        client.acquireAll([resource]),
      ]) {
        await expect(call).rejects.toMatchObject({ code: 'bad-argument' });
      }
      expect(() => client.lock(resource)).toThrow();
      expect(sent).toBe(before);
    },
  );

  test('a set of no names, or with one twice', async () => {
    await expect(client.acquireAll([])).rejects.toMatchObject({ argument: 'resources' });
    await expect(client.acquireAll(['caf\u00e9', 'cafe\u0301'])).rejects.toMatchObject({
      argument: 'resources',
    });
  });

  test.each(['', 'localhost:3000', 'ftp://x', 'http://', undefined])('the address %j', (url) => {
    expect(() => createClient({ url: given(url) })).toThrow(/url must be/);
  });

  test('a token that is none', async () => {
    await expect(client.check('job', 1.5)).rejects.toMatchObject({ argument: 'fencingToken' });
  });
});

test('a write that changed no row is a lost lease', () => {
  const lease = { resource: 'job', fencingToken: 7 };
  expect(() => assertFenced(lease, 0)).toThrow(/taken/);
  expect(() => assertFenced(lease, null)).toThrow(/taken/);
  expect(() => assertFenced(lease, 1)).not.toThrow();
  expect(() => assertFenced(lease, 1n)).not.toThrow();
});
