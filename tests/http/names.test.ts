import { expect, test } from 'vitest';

import { outcomeOf, refusedFields } from '../support/api';
import { fresh, shown, everywhere } from '../support/both-doors';

/** Every one of these has broken some URL, page, shell, log or database. */
const names: readonly string[] = [
  'a/b',
  'a//b',
  '/a',
  'a/',
  ':c',
  'a@b',
  'café',
  'cafe\u0301!',
  '%',
  '%%',
  '100%25',
  '%2F',
  '%00',
  '%E0%A4%A',
  'q?x=1&y=2',
  '?',
  '#',
  'device-#05',
  'a+b c',
  `it's "quoted" \`x\``,
  '\\',
  'a\\..\\b',
  '../../etc/passwd',
  '...',
  '.hidden',
  'a.',
  '<img src=x onerror=alert(1)>',
  "');alert(1)//",
  'a\u202egpj.exe',
  '\u200bzero-width',
  '🔒',
  '👩‍👩‍👧‍👦/🇩🇪',
  'ضغط',
  '部署/生产',
  '=HYPERLINK("x")',
  '-1',
  '@x',
  '[resource]',
  '[...path]',
  'renew',
  'events',
  'force-release',
  'locks.csv',
  '_next',
  '__proto__',
  'constructor',
  'null',
  '0',
  '{resource}',
  '${jndi:x}',
  "'; DROP TABLE distributed_locks; --",
  '_%_',
  'a;b,c|d',
  'x'.repeat(512),
  '🔒'.repeat(128),
  'e\u0301'.repeat(256),
];

everywhere('a name means the same everywhere', (api) => {
  // Names as short as these can't be made unique, so each test leaves its lock free behind it.
  test.each(names.map((name) => [shown(name), name] as const))('%s', async (_, given) => {
    const resource = given.normalize('NFC');
    const owner = Buffer.byteLength(resource) > 255 ? 'owner' : resource;
    const body = { owner, ttl_ms: 60_000 };

    const { fencing_token } = await api.grant(given, { owner });
    const asking = { fencing_token, reason: `why ${Array.from(given).slice(0, 200).join('')}` };
    const seen = [
      (await api.call('renew', { resource: given, body })).value().lock,
      (await api.call('inspect', { resource: given })).value().lock,
      (await api.call('askRelease', { resource: given, body: asking })).value().lock,
      ...(await api.call('list', { query: { prefix: given, fencing_token } })).value().locks,
      ...(await api.call('list', { query: { q: given, fencing_token } })).value().locks,
      ...(await api.call('list', { query: { owner, fencing_token } })).value().locks,
    ];
    const same = { resource, owner, fencing_token };
    expect(seen).toMatchObject(Array.from({ length: 6 }, () => same));
    const denied = await api.call('acquire', {
      resource: given,
      body: { ...body, owner: 'other' },
    });
    expect(denied.value()).toMatchObject({ acquired: false, resource, holder: { owner } });
    const check = { resource: given, body: { fencing_token } };
    expect((await api.call('check', check)).value().valid).toBe(true);

    const hold = { reason: 'out of service', ttl_ms: 60_000, fencing_token };
    const held = (await api.call('hold', { resource: given, body: hold })).value().lock;
    const end = { fencing_token: held.fencing_token, reason: 'back in service' };
    const ended = await api.call('forceRelease', { resource: given, body: end });
    expect(ended.value().released.resource).toBe(resource);

    await api.grant(given, { owner });
    expect(outcomeOf(await api.call('release', { resource: given, body: { owner } }))).toBe('204');
    const { events } = (await api.call('lockEvents', { resource: given })).value();
    expect(new Set(events.map((event) => event.resource))).toEqual(new Set([resource]));
    // Denied attempts are told when a second is over, which may be by now.
    const kinds = events.map(({ kind }) => kind).filter((kind) => kind !== 'contended');
    expect(kinds).toEqual([
      'released',
      'acquired',
      'reopened',
      'held',
      'force_released',
      'release_requested',
      'acquired',
    ]);
    const again = await api.grant(given, { owner });
    const bulk = {
      locks: [{ resource: given, fencing_token: again.fencing_token }],
      reason: 'tidy',
    };
    expect((await api.call('bulkForceRelease', { body: bulk })).value()).toEqual({
      results: [{ resource, outcome: 'released' }],
    });
  });

  test('a name in composed and in decomposed form is one lock', async () => {
    const end = fresh();
    const lock = await api.grant(`caf\u00e9-${end}`);
    const other = { owner: 'another', ttl_ms: 1_000 };
    const denied = await api.call('acquire', { resource: `cafe\u0301-${end}`, body: other });
    expect(denied.value()).toMatchObject({ acquired: false, resource: lock.resource });
    const released = { resource: `cafe\u0301-${end}`, body: { owner: 'owner' } };
    expect(outcomeOf(await api.call('release', released))).toBe('204');
  });

  test('an owner in composed and in decomposed form is one owner', async () => {
    const resource = fresh();
    await api.grant(resource, { owner: 'Ame\u0301lie' });
    const body = { owner: 'Am\u00e9lie', ttl_ms: 60_000 };
    expect(outcomeOf(await api.call('renew', { resource, body }))).toBe('200');
  });

  test('names that differ in case, slashes or escapes are different locks', async () => {
    const end = fresh();
    const alike = ['Job', 'job', 'a/b', 'a//b', 'a%2Fb', 'a%2fb', 'a b', 'a+b', 'a%20b', 'ß', 'ss'];
    for (const name of alike) await api.grant(`${name}-${end}`, { owner: name });
    for (const name of alike) {
      const { lock } = (await api.call('inspect', { resource: `${name}-${end}` })).value();
      expect(lock).toMatchObject({ resource: `${name}-${end}`, owner: name });
    }
  });

  test.each(
    [
      ['x'.repeat(513), '512'],
      [`${'🔒'.repeat(128)}x`, '512'],
      ['é'.repeat(257), '512'],
      ['x'.repeat(8_000), '512'],
      [' a', 'white space'],
      ['a ', 'white space'],
      ['\u2003a', 'white space'],
      ['a\u0000b', 'control'],
      ['a\nb', 'control'],
      ['a\u007fb', 'control'],
      ['a\u0085b', 'control'],
    ].map(([name = '', why = '']) => [shown(name), name, why] as const),
  )('%s is refused, saying why', async (_, resource, why) => {
    for (const name of ['acquire', 'renew', 'forceRelease'] as const) {
      const answer = await api.call(name, {
        resource,
        body: { owner: 'a', ttl_ms: 60_000, fencing_token: 1, reason: 'stuck' },
      });
      expect(refusedFields(answer)).toEqual(['resource']);
      expect(answer.problem().detail).toContain(why);
    }
    expect(refusedFields(await api.call('inspect', { resource }))).toEqual(['resource']);
    expect(refusedFields(await api.call('lockEvents', { resource }))).toEqual(['resource']);
    const release = await api.call('release', { resource, query: { owner: 'a' } });
    expect(refusedFields(release)).toEqual(['resource']);
  });

  test('a plus sign in a path is a plus sign, and in a query a space', async () => {
    const end = fresh();
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ owner: 'c d', ttl_ms: 60_000 });
    await api.raw({ method: 'POST', path: `/api/locks/a+b-${end}`, headers, body });
    expect(outcomeOf(await api.call('inspect', { resource: `a+b-${end}` }))).toBe('200');
    const path = `/api/locks/a+b-${end}?owner=c+d`;
    expect((await api.raw({ method: 'DELETE', path })).status).toBe(204);
  });
});
