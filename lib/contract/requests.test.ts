import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';

import { refusalOf, refusedFields } from '../../tests/contract/refused';
import { defaultLockSettings as settings, limits } from '../locks/limits';
import {
  acquireBody,
  askReleaseBody,
  bulkReleaseBody,
  checkBody,
  forceReleaseBody,
  holdBody,
  releaseBody,
  releaseQuery,
  renewBody,
  resourceParameters,
} from './requests';

const bodies = {
  acquire: acquireBody(settings),
  renew: renewBody(settings),
  release: releaseBody,
  check: checkBody,
  'force-release': forceReleaseBody(settings),
  hold: holdBody(settings),
  'ask-release': askReleaseBody,
  'bulk force-release': bulkReleaseBody,
};

const reason = 'stuck since noon';
/** A good body of each kind. */
const good: Readonly<Record<keyof typeof bodies, Readonly<Record<string, unknown>>>> = {
  acquire: { owner: 'a', ttl_ms: 1_000 },
  renew: { owner: 'a', ttl_ms: 1_000 },
  release: { owner: 'a' },
  check: { fencing_token: 1 },
  'force-release': { reason, fencing_token: 1 },
  hold: { reason, ttl_ms: 1_000 },
  'ask-release': { reason, fencing_token: 1 },
  'bulk force-release': { reason, locks: [{ resource: 'job:42', fencing_token: 1 }] },
};

const kinds = [
  'acquire',
  'renew',
  'release',
  'check',
  'force-release',
  'hold',
  'ask-release',
] as const;
const allKinds = [...kinds, 'bulk force-release'] as const;
const withTtl = ['acquire', 'renew', 'hold'] as const;
const withOwner = ['acquire', 'renew', 'release'] as const;
const withToken = ['renew', 'release', 'check', 'force-release', 'hold', 'ask-release'] as const;
const withReason = ['force-release', 'hold', 'ask-release'] as const;

function refused(kind: keyof typeof bodies, more: object) {
  return refusedFields(bodies[kind], { ...good[kind], ...more });
}

/** As JSON brings it, where 1e400 is Infinity and `__proto__` is a key like any other. */
function refusedJson(kind: keyof typeof bodies, json: string) {
  const value: unknown = JSON.parse(json);
  return refusedFields(bodies[kind], value);
}

// One by one, each is something that a caller has sent to some lock service.
const notWholeNumbers: readonly unknown[] = [
  ...['0', '5', '1000', '', 'Infinity', true, false, null, [], [1_000], {}],
  ...[0.4, 1_000.5, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
];
const tooLarge: readonly unknown[] = [9e15, 2 ** 53, 2 ** 53 + 2, 1e99, 8_640_000_000_000_001];

describe.each(allKinds)('a body for %s', (kind) => {
  test('is taken as its good example', () => {
    expect(refusedFields(bodies[kind], good[kind])).toBeNull();
  });

  test.each(['fencingtoken', 'fencingToken', 'ttl', 'ttl_second', 'Owner', 'constructor', ''])(
    'is refused for the unknown field %j by its name',
    (field) => {
      expect(refused(kind, { [field]: 1 })).toEqual([field]);
    },
  );

  test('is refused for a field named __proto__ as for any other', () => {
    const json = JSON.stringify(good[kind]).replace('{', '{"__proto__":{"owner":"b"},');
    expect(refusedJson(kind, json)).toEqual(['__proto__']);
  });

  test.each([null, [], 'text', 5, true])('is refused when it is %j and no object', (value) => {
    expect(refusedFields(bodies[kind], value)).toEqual(['']);
  });
});

describe.each(withTtl)('the TTL of %s', (kind) => {
  const without = { ttl_ms: undefined };

  test('is taken from its smallest to its largest', () => {
    const ttlOf = (ttl: object) => bodies[kind].parse({ ...good[kind], ...without, ...ttl }).ttlMs;
    expect(ttlOf({ ttl_ms: limits.ttlMsMin })).toBe(limits.ttlMsMin);
    expect(ttlOf({ ttl_ms: settings.ttlMsMax })).toBe(settings.ttlMsMax);
    expect(ttlOf({ ttl_seconds: 1 })).toBe(1_000);
    expect(ttlOf({ ttl_seconds: 86_400 })).toBe(86_400_000);
  });

  test.each([...notWholeNumbers, ...tooLarge, 0, -1, -0])(
    'is refused in either unit when it is %j',
    (value) => {
      expect(refused(kind, { ttl_ms: value })).toEqual(['ttl_ms']);
      expect(refused(kind, { ...without, ttl_seconds: value })).toEqual(['ttl_seconds']);
    },
  );

  test('is refused just outside its limits', () => {
    expect(refused(kind, { ttl_ms: limits.ttlMsMin - 1 })).toEqual(['ttl_ms']);
    expect(refused(kind, { ttl_ms: settings.ttlMsMax + 1 })).toEqual(['ttl_ms']);
    expect(refused(kind, { ...without, ttl_seconds: 86_401 })).toEqual(['ttl_seconds']);
  });

  test('is refused as 1e400 and as an integer that JSON cannot carry', () => {
    const json = (ttl: string) => JSON.stringify(good[kind]).replace('"ttl_ms":1000', ttl);
    expect(refusedJson(kind, json('"ttl_ms":1e400'))).toEqual(['ttl_ms']);
    expect(refusedJson(kind, json('"ttl_ms":9007199254740993'))).toEqual(['ttl_ms']);
    expect(refusedJson(kind, json('"ttl_seconds":1e400'))).toEqual(['ttl_seconds']);
  });

  test('is given once: not in both units, and not in none', () => {
    expect(refused(kind, { ttl_seconds: 1 })).toEqual(['ttl_seconds']);
    expect(refused(kind, without)).toEqual(['ttl_seconds']);
    expect(refusalOf(bodies[kind], { ...good[kind], ...without }, 'ttl_seconds')).toContain(
      'ttl_ms',
    );
  });

  test('has the limit that the service is set to', () => {
    const short = { ...settings, ttlMsMax: 60_500 };
    const body: z.ZodType = { acquire: acquireBody, renew: renewBody, hold: holdBody }[kind](short);
    expect(refusedFields(body, { ...good[kind], ttl_ms: 60_500 })).toBeNull();
    expect(refusedFields(body, { ...good[kind], ttl_ms: 60_501 })).toEqual(['ttl_ms']);
    const inSeconds = (seconds: number) => ({ ...good[kind], ...without, ttl_seconds: seconds });
    expect(refusedFields(body, inSeconds(60))).toBeNull();
    expect(refusedFields(body, inSeconds(61))).toEqual(['ttl_seconds']);
  });

  test('is a whole number within the limits, or refused: any value', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        if (value === undefined) return;
        const isGood =
          Number.isInteger(value) && Number(value) >= 100 && Number(value) <= settings.ttlMsMax;
        expect(refused(kind, { ttl_ms: value })).toEqual(isGood ? null : ['ttl_ms']);
      }),
    );
  });
});

describe.each(withOwner)('the owner of %s', (kind) => {
  test('is at most 255 bytes', () => {
    expect(refused(kind, { owner: '💾'.repeat(63) + 'xyz' })).toBeNull();
    expect(refused(kind, { owner: '💾'.repeat(64) })).toEqual(['owner']);
  });

  test.each([undefined, null, 5, '', ' a', 'a\n', 'a\u0000b', 'a\u0085', '\ud800', ['a'], {}])(
    'is refused when it is %j',
    (owner) => {
      expect(refused(kind, { owner })).toEqual(['owner']);
    },
  );

  test('is normalised, and may be what a resource may not', () => {
    expect(bodies[kind].parse({ ...good[kind], owner: 'cafe\u0301' })).toMatchObject({
      owner: 'café',
    });
    expect(refused(kind, { owner: '..' })).toBeNull();
  });
});

describe.each(withToken)('the fencing token of %s', (kind) => {
  test('goes up to the largest integer that JSON carries', () => {
    const parsed = bodies[kind].parse({ ...good[kind], fencing_token: limits.fencingTokenMax });
    expect(parsed).toMatchObject({ fencingToken: 9_007_199_254_740_991 });
  });

  test.each([...notWholeNumbers, 0, -1, 2 ** 53, 1e99])('is refused when it is %j', (value) => {
    expect(refused(kind, { fencing_token: value })).toEqual(['fencing_token']);
  });

  test('is refused beyond that, and never rounded', () => {
    const json = JSON.stringify({ ...good[kind], fencing_token: 4711 }).replace(
      '4711',
      '9007199254740993',
    );
    expect(refusedJson(kind, json)).toEqual(['fencing_token']);
  });
});

describe.each(withReason)('the reason of %s', (kind) => {
  test('is 3 to 500 characters, however many bytes, without the white space around it', () => {
    const parsed = bodies[kind].parse({ ...good[kind], reason: '  💾💾💾 ' });
    expect(parsed).toMatchObject({ reason: '💾💾💾' });
    expect(refused(kind, { reason: '💾'.repeat(500) })).toBeNull();
    expect(refused(kind, { reason: '💾'.repeat(501) })).toEqual(['reason']);
    expect(refused(kind, { reason: 'ab' })).toEqual(['reason']);
  });

  test.each([
    null,
    5,
    '',
    '   ',
    ' ab ',
    'one\ntwo',
    'a\u0000bc',
    'a\u001b[31m',
    'abc\ud800',
    [],
    {},
  ])('is refused when it is %j', (value) => {
    expect(refused(kind, { reason: value })).toEqual(['reason']);
  });
});

describe('what a body must have', () => {
  test.each([
    ['acquire', 'owner'],
    ['renew', 'owner'],
    ['release', 'owner'],
    ['check', 'fencing_token'],
    ['force-release', 'fencing_token'],
    ['hold', 'reason'],
    ['ask-release', 'reason'],
    ['ask-release', 'fencing_token'],
    ['bulk force-release', 'locks'],
  ] as const)('of %s is %s, and it says so', (kind, field) => {
    expect(refused(kind, { [field]: undefined })).toEqual([field]);
    const body = { ...good[kind], [field]: undefined };
    expect(refusalOf(bodies[kind], body, field)).toBe('is required');
  });

  test('but a token of renew and release, and metadata, may be left out', () => {
    expect(bodies.renew.parse(good.renew)).toMatchObject({ fencingToken: null });
    expect(bodies.release.parse(good.release)).toMatchObject({ fencingToken: null });
    expect(bodies.acquire.parse(good.acquire)).toMatchObject({ metadata: null });
  });
});

describe('metadata', () => {
  const entries = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${String(index)}`, 'v']));

  test('is kept as it is given', () => {
    const metadata = { host: 'one', constructor: 'two', toString: '', '': '💾 "quoted" \\' };
    expect(bodies.acquire.parse({ ...good.acquire, metadata })).toMatchObject({ metadata });
  });

  test('has at most 16 entries', () => {
    expect(refused('acquire', { metadata: entries(16) })).toBeNull();
    expect(refused('acquire', { metadata: entries(17) })).toEqual(['metadata']);
    expect(refused('acquire', { metadata: {} })).toBeNull();
  });

  test('has at most 2 KiB in all, counted in bytes of its JSON', () => {
    const frame = JSON.stringify({ link: '' }).length;
    const longest = '💾'.repeat((2048 - frame) / 4) + 'x'.repeat((2048 - frame) % 4);
    expect(refused('acquire', { metadata: { link: longest } })).toBeNull();
    expect(refused('acquire', { metadata: { link: `${longest}x` } })).toEqual(['metadata']);
    expect(refused('acquire', { metadata: { ['k'.repeat(3_000)]: '' } })).toEqual(['metadata']);
  });

  test.each([null, [], ['a'], 'text', 5, true])('is refused when it is %j', (metadata) => {
    expect(refused('acquire', { metadata })).toEqual(['metadata']);
  });

  test.each([null, 5, true, {}, { nested: 'x' }, ['x']])(
    'is refused for the value %j, by its key',
    (value) => {
      expect(refused('acquire', { metadata: { host: 'one', job: value } })).toEqual([
        'metadata.job',
      ]);
    },
  );

  test.each(['a\nb', 'a\u0000', '\u001b[31m', '\ud800', '\u0085'])(
    'is refused for %j in a key or a value',
    (text) => {
      expect(refused('acquire', { metadata: { job: text } })).toEqual(['metadata']);
      expect(refused('acquire', { metadata: { [text]: 'x' } })).toEqual(['metadata']);
    },
  );

  test('is refused for a key named __proto__, which no object could keep', () => {
    for (const value of ['"x"', '{"owner":"b"}', 'null']) {
      const json = `{"owner":"a","ttl_ms":1000,"metadata":{"host":"one","__proto__":${value}}}`;
      expect(refusedJson('acquire', json)).toEqual(['metadata.__proto__']);
    }
  });
});

describe('a force-release', () => {
  const body = bodies['force-release'];

  test('needs a reason only to keep the resource closed; the rest is decided by the lease', () => {
    expect(body.parse({ fencing_token: 7 })).toEqual({
      reason: null,
      fencingToken: 7,
      holdMs: 0,
      onlyExpired: false,
    });
    expect(refusedFields(body, { fencing_token: 7, hold_seconds: 0 })).toBeNull();
    expect(refusedFields(body, { fencing_token: 7, hold_seconds: 60 })).toEqual(['reason']);
  });

  test('keeps the resource closed for 0 seconds up to the longest TTL', () => {
    expect(body.parse({ ...good['force-release'], hold_seconds: 86_400 }).holdMs).toBe(86_400_000);
    expect(body.parse({ ...good['force-release'], hold_seconds: 0 }).holdMs).toBe(0);
    for (const value of [-1, 86_401, ...notWholeNumbers]) {
      expect(refused('force-release', { hold_seconds: value })).toEqual(['hold_seconds']);
    }
  });

  test.each(['true', 1, 0, null, 'false'])('is refused for only_expired: %j', (value) => {
    expect(refused('force-release', { only_expired: value })).toEqual(['only_expired']);
    expect(refused('bulk force-release', { only_expired: value })).toEqual(['only_expired']);
  });
});

describe('a bulk force-release', () => {
  const locks = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      resource: `job:${String(index)}`,
      fencing_token: index + 1,
    }));

  test('names 1 to 500 locks', () => {
    expect(refused('bulk force-release', { locks: locks(500) })).toBeNull();
    expect(refused('bulk force-release', { locks: locks(501) })).toEqual(['locks']);
    expect(refused('bulk force-release', { locks: [] })).toEqual(['locks']);
    expect(refused('bulk force-release', { locks: { 0: locks(1)[0] } })).toEqual(['locks']);
  });

  test('names each lock once, also in another spelling', () => {
    const twice = [
      { resource: 'café', fencing_token: 1 },
      { resource: 'tea', fencing_token: 2 },
      { resource: 'cafe\u0301', fencing_token: 3 },
    ];
    expect(refused('bulk force-release', { locks: twice })).toEqual(['locks.2.resource']);
  });

  test('is refused for what is wrong with one lock, by its place', () => {
    const bad = [
      { resource: 'job', fencing_token: 1 },
      { resource: '.', fencing_token: 0, token: 5 },
      { fencing_token: 1 },
    ];
    expect(refused('bulk force-release', { locks: bad })).toEqual([
      'locks.1.resource',
      'locks.1.fencing_token',
      'locks.1.token',
      'locks.2.resource',
    ]);
  });
});

describe('a release by query', () => {
  test('takes the token as digits', () => {
    expect(releaseQuery.parse({ owner: 'a', fencing_token: '42' })).toEqual({
      owner: 'a',
      fencingToken: 42,
    });
    const largest = String(limits.fencingTokenMax);
    expect(releaseQuery.parse({ owner: 'a', fencing_token: largest })).toMatchObject({
      fencingToken: limits.fencingTokenMax,
    });
  });

  test.each([
    '',
    '0',
    '-1',
    '+1',
    '01',
    '1.0',
    '1e3',
    ' 1',
    '1 ',
    '0x1',
    'NaN',
    '9007199254740992',
  ])('is refused for the token %j', (token) => {
    const query = { owner: 'a', fencing_token: token };
    expect(refusedFields(releaseQuery, query)).toEqual(['fencing_token']);
  });

  test('is refused for an unknown parameter by its name', () => {
    expect(refusedFields(releaseQuery, { owner: 'a', token: '1' })).toEqual(['token']);
  });
});

describe('a resource in a path', () => {
  test.each(['', '.', '..', ' a', 'a\u0000b', 'a\u009fb', '\udc00', 'x'.repeat(513)])(
    'is refused when it is %j',
    (resource) => {
      expect(refusedFields(resourceParameters, { resource })).toEqual(['resource']);
    },
  );

  test('is normalised', () => {
    expect(resourceParameters.parse({ resource: 'cafe\u0301' })).toEqual({ resource: 'café' });
  });
});
