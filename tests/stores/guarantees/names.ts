import { expect } from 'vitest';

import { fresh, type Driver } from '../drive';
import { guarantee } from '../store-under-test';

/** Any name works in every verb and means the same in each. Names arrive normalised. */
export const nameGuarantees = [
  guarantee('names that differ in one byte are different locks', async (at) => {
    const prefix = fresh();
    const names = awkwardNames.map((name) => prefix + name);
    expect(new Set(names).size).toBe(names.length);
    const leases = [];
    for (const resource of names) leases.push(await at.grant({ resource, owner: 'a' }));
    for (const lease of leases) {
      expect(lease.resource).toBe(names[leases.indexOf(lease)]);
      expect(await at.inspect(lease.resource)).toEqual(lease);
      expect((await at.acquire({ resource: lease.resource, owner: 'b' })).kind).toBe('held');
    }
    const listed = await at.list({ filter: { resourcePrefix: prefix }, limit: 500 });
    expect(new Set(listed.leases.map(({ resource }) => resource))).toEqual(new Set(names));
  }),

  guarantee('any name works in every verb', async (at) => {
    const prefix = fresh();
    await Promise.all(awkwardNames.map((name) => useEveryVerb(at, prefix + name)));
  }),

  guarantee('any owner, client, actor, reason and request id is kept to the byte', async (at) => {
    await Promise.all(awkwardNames.map((text) => useInEveryField(at, text)));
  }),

  guarantee('owners that differ in case or accents are different owners', async (at) => {
    for (const [owner, other] of [
      ['Worker', 'worker'],
      ['é', 'e'],
      ['ß', 'ss'],
      ['a', 'a '],
      ['1', '01'],
      ['1', '1.0'],
    ] as const) {
      const lease = await at.grant({ resource: fresh(), owner });
      expect((await at.acquire({ resource: lease.resource, owner: other })).kind).toBe('held');
      expect((await at.renew({ ...lease, owner: other })).kind).toBe('lost');
      expect((await at.release({ ...lease, owner: other })).kind).toBe('not-owner');
    }
  }),

  guarantee('a name is never cut, up to its limit', async (at) => {
    const prefix = fresh();
    const room = 512 - prefix.length;
    const long = prefix + 'x'.repeat(room % 4) + '💾'.repeat(Math.floor(room / 4));
    const longest = [long, `${long.slice(0, -2)}xxxx`, `${long.slice(0, -2)}xxxy`];
    const owner = '💾'.repeat(63) + 'xyz';
    for (const resource of longest) {
      expect(Buffer.byteLength(resource)).toBe(512);
      const lease = await at.grant({ resource, owner, client: owner });
      expect(lease).toMatchObject({ resource, owner, client: owner });
      expect(await at.inspect(resource)).toEqual(lease);
      expect((await at.history(resource))[0]).toMatchObject({ resource, owner });
    }
    const listed = await at.list({ filter: { resourcePrefix: prefix } });
    expect(listed.counts.active).toBe(3);
  }),
];

async function useEveryVerb(at: Driver, resource: string): Promise<void> {
  const lease = await at.grant({ resource, owner: 'a' });
  expect((await at.renew(lease)).kind).toBe('renewed');
  expect((await at.askRelease(lease)).kind).toBe('asked');
  const found = await at.list({ filter: { text: resource, resourcePrefix: resource } });
  expect(found.leases.map((one) => one.resource)).toContain(resource);
  expect((await at.release(lease)).kind).toBe('released');
  const hold = await at.putHold({ resource });
  expect((await at.forceRelease(hold)).kind).toBe('released');
  const history = await at.history(resource);
  expect(history.map((event) => event.resource)).toEqual(Array(5).fill(resource));
}

async function useInEveryField(at: Driver, text: string): Promise<void> {
  const resource = fresh();
  const owner = `o${text}`;
  const client = `c${text}`;
  const requestId = `r${text}`;
  const lease = await at.grant({ resource, owner, client, requestId });
  expect(lease).toMatchObject({ owner, client });
  expect(await at.inspect(resource)).toEqual(lease);
  expect((await at.renew({ resource, owner: `${owner}.`, client })).kind).toBe('lost');
  expect((await at.renew({ resource, owner, client: `${client}.` })).kind).toBe('lost');
  expect((await at.renew(lease)).kind).toBe('renewed');
  const actor = `p${text}`;
  const reason = `because ${text}`;
  await at.forceRelease(lease, { actor, reason });
  expect(await at.renew(lease)).toMatchObject({ forced: { by: actor, reason } });
  const hold = await at.putHold({ resource, actor, reason });
  expect(hold).toMatchObject({ owner: `operator:${actor}`, hold: { name: actor, reason } });
  const [granted, ended] = await at.history(resource);
  expect(granted).toMatchObject({ owner, client, requestId });
  expect(ended).toMatchObject({ owner, client, actor, reason });
}

const awkwardNames = [
  'a/b',
  'a//b',
  'a/b/',
  '/a/b',
  'a/./b',
  'a/../b',
  'a%2Fb',
  'a%252Fb',
  'a b',
  'a  b',
  'a+b',
  '%',
  '%%',
  '_',
  '__',
  '*',
  '?',
  'device-#05',
  'q?x=1&y=2',
  'a@b',
  ':c',
  'Job',
  'job',
  'JOB',
  'café',
  'cafe',
  'CAFÉ',
  'straße',
  'strasse',
  'İ',
  'i',
  'ı',
  'I',
  '\u{FB01}',
  'fi',
  '💾',
  '👨‍👩‍👧',
  '日本語',
  'עברית',
  'a\u202Eb',
  'a\u200Bb',
  'a\uFEFFb',
  'a\u2028b',
  "it's",
  "it''s",
  '"quoted"',
  '`tick`',
  '\\',
  '\\\\',
  '\\n',
  '\\u0041',
  'A',
  "'); DROP TABLE distributed_locks; --",
  '$1',
  ':1',
  '?1',
  '@p',
  '{a}',
  '{"a":1}',
  '[x]',
  '(y)',
  '|',
  '^',
  '~',
  ';',
  ',',
  '<img src=x onerror=alert(1)>',
  '=HYPERLINK("x")',
  'null',
  'undefined',
  'true',
  'NaN',
  '0',
  '00',
  '1',
  '1.0',
  '1e0',
  '-1',
  '__proto__',
  'constructor',
  'toString',
  'user:1',
  'x'.repeat(200),
];
