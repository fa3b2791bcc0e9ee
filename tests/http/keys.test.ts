import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { createApi, outcomeOf, refusedFields, type Api } from '../support/api';
import { fresh } from '../support/both-doors';
import { adminEnvironment, bearer, testAdmin, testKey } from '../support/callers';
import { dump, rowsOf } from '../support/database';
import { signIn } from '../support/people';
import { doors, startServer, type TestServer } from '../support/server';

const wanted = { client: 'billing', scopes: ['acquire', 'read'], patterns: ['job:*'] };

describe.each(doors)('API keys, through %s', (door) => {
  let server: TestServer;
  let other: TestServer;
  let admin: Api;
  beforeAll(async () => {
    server = await startServer({ door, environment: adminEnvironment });
    other = await startServer({ door: 'npm start', databaseFile: server.databaseFile });
    admin = createApi(server, await signIn(server));
  });
  afterAll(async () => {
    await other.stop();
    await server.stop();
  });

  async function newKey(more: Record<string, unknown> = {}) {
    const body = { name: fresh('key'), ...wanted, ...more };
    return (await admin.call('createKey', { body })).value();
  }
  const statusBy = async (secret: string, at: TestServer = server) =>
    (await createApi(at, bearer(secret)).call('list')).status;
  const until = (status: number, secret: string, at: TestServer) =>
    expect.poll(() => statusBy(secret, at), { timeout: 5_000, interval: 100 }).toBe(status);

  test('a key is told once, is known by its beginning, and says who it is', async () => {
    const { key, secret } = await newKey({ name: 'nightly billing' });
    expect(secret).toMatch(/^hf_[0-9a-f]{12}_[\w-]{43}$/);
    expect(secret.startsWith(key.prefix)).toBe(true);
    expect(key).toMatchObject({ ...wanted, state: 'active', created_by: testAdmin.email });
    const listed = await admin.call('listKeys');
    expect(listed.body).not.toContain(secret);
    expect(listed.value().keys.map(({ id }) => id)).toContain(key.id);
    const me = (await createApi(server, bearer(secret)).call('me')).value();
    expect(me).toEqual({ kind: 'key', id: key.id, name: key.name, ...wanted, expires_at: null });
  });

  test('a key works at once, also on another instance', async () => {
    const { secret } = await newKey();
    expect(await statusBy(secret)).toBe(200);
    expect(await statusBy(secret, other)).toBe(200);
  });

  test('a revoked key is refused at once here, and within 5 s everywhere', async () => {
    const { key, secret } = await newKey();
    expect(await statusBy(secret, other)).toBe(200);
    const revoked = (await admin.call('revokeKey', { id: key.id })).value().key;
    expect(revoked.state).toBe('revoked');
    expect(await statusBy(secret)).toBe(401);
    await until(401, secret, other);
    const again = (await admin.call('revokeKey', { id: key.id })).value().key;
    expect(again.revoked_at).toBe(revoked.revoked_at);
    const rotate = { id: key.id, body: { overlap_seconds: 60 } };
    expect(outcomeOf(await admin.call('rotateKey', rotate))).toBe('404 not-found');
  });

  test('a rotated key has a new secret for the same client, and the old one works for the overlap', async () => {
    const old = await newKey();
    const rotate = { id: old.key.id, body: { overlap_seconds: 2 } };
    const { key, secret, replaced } = (await admin.call('rotateKey', rotate)).value();
    expect(key).toMatchObject({ ...wanted, name: old.key.name, expires_at: null });
    expect(replaced.id).toBe(old.key.id);
    expect(await statusBy(old.secret)).toBe(200);
    expect(await statusBy(secret, other)).toBe(200);
    const resource = `job:${fresh()}`;
    await createApi(server, bearer(old.secret)).grant(resource);
    const renew = { resource, body: { owner: 'owner', ttl_ms: 60_000 } };
    expect((await createApi(other, bearer(secret)).call('renew', renew)).status).toBe(200);
    await until(401, old.secret, server);
    await until(401, old.secret, other);
    expect(await statusBy(secret)).toBe(200);
  });

  test('a pattern is kept in the form that names are, so that it covers what it shows', async () => {
    const { key, secret } = await newKey({ patterns: ['cafe\u0301:*', 'caf\u00e9:*'] });
    expect(key.patterns).toEqual(['caf\u00e9:*']);
    await createApi(server, bearer(secret)).grant(`cafe\u0301:${fresh()}`);
    const spaced = await newKey({ patterns: ['job *'] });
    await createApi(server, bearer(spaced.secret)).grant(`job ${fresh()}`);
  });

  test('a rotation may give the new key another end, and never makes one that is over', async () => {
    const { key: old } = await newKey({ expires_at: '2999-01-01T00:00:00.000Z' });
    const rotate = (id: string, more: Record<string, unknown> = {}) =>
      admin.call('rotateKey', { id, body: { overlap_seconds: 0, ...more } });
    const kept = (await rotate(old.id)).value();
    expect(kept.key.expires_at).toBe('2999-01-01T00:00:00.000Z');
    expect(kept.replaced.state).toBe('expired');
    // The old one is over by now, and so would be a new one with its end.
    const before = (await admin.call('listKeys')).value().keys.length;
    expect(refusedFields(await rotate(old.id))).toEqual(['expires_at']);
    const past = { expires_at: '2020-01-01T00:00:00.000Z' };
    expect(refusedFields(await rotate(kept.key.id, past))).toEqual(['expires_at']);
    expect((await admin.call('listKeys')).value().keys).toHaveLength(before);
    const again = (await rotate(old.id, { expires_at: null })).value();
    expect([again.key.state, again.key.expires_at]).toEqual(['active', null]);
    expect(await statusBy(again.secret)).toBe(200);
  });

  test('another client that has learned the owner can neither renew nor release, nor acquire', async () => {
    const own = createApi(server, bearer((await newKey()).secret));
    const thief = createApi(server, bearer((await newKey({ client: 'thief' })).secret));
    const resource = `job:${fresh()}`;
    const lock = await own.grant(resource);
    const token = { fencing_token: lock.fencing_token };
    const body = { owner: 'owner', ttl_ms: 60_000 };
    const renew = await thief.call('renew', { resource, body: { ...body, ...token } });
    expect(outcomeOf(renew)).toBe('409 lock-lost');
    const release = await thief.call('release', { resource, body: { owner: 'owner', ...token } });
    expect(outcomeOf(release)).toBe('403 not-owner');
    expect((await thief.call('acquire', { resource, body })).value().acquired).toBe(false);
    expect((await own.call('renew', { resource, body })).value().lock.client).toBe('billing');
  });

  test.each([
    ['name', { name: '' }],
    ['name', { name: 'ann@example.com' }],
    ['name', { name: 'a\nb' }],
    ['name', { name: 'ann＠example.com' }],
    ['name', { name: 'env' }],
    ['name', { name: ' Env ' }],
    ['name', { name: 'ｅｎｖ' }],
    ['name', { name: 'first start' }],
    ['name', { name: 'unknown' }],
    ['name', { name: 'a\u0085b' }],
    ['name', { name: 'billing\u200b' }],
    ['name', { name: 'bil\u00adling' }],
    ['name', { name: 'gnp.\u202egnillib' }],
    ['name', { name: 'a\u2066b' }],
    ['name', { name: 'billing\u3164' }],
    ['name', { name: 'billing\u2800x' }],
    ['name', { name: 'a\u2028b' }],
    ['name', { name: 'a\u{e0041}b' }],
    ['client', { client: 'env' }],
    ['client', { client: 'x'.repeat(256) }],
    ['scopes', { scopes: [] }],
    ['scopes.0', { scopes: ['admin'] }],
    ['patterns', { patterns: [] }],
    ['patterns.0', { patterns: ['a*b'] }],
    ['patterns.0', { patterns: ['**'] }],
    ['patterns.0', { patterns: [''] }],
    ['patterns.0', { patterns: ['.'] }],
    ['patterns.0', { patterns: [' job:*'] }],
    ['patterns.0', { patterns: ['job '] }],
    ['patterns.1', { patterns: ['job:*', 'x'.repeat(513)] }],
    ['patterns', { patterns: Array.from({ length: 51 }, (_, n) => `job:${n}`) }],
    ['expires_at', { expires_at: '9999-12-31T23:59:59-12:00' }],
    ['expires_at', { expires_at: 'tomorrow' }],
    ['expires_at', { expires_at: '2020-01-01T00:00:00.000Z' }],
    ['secret', { secret: 'mine' }],
    ['__proto__', JSON.parse('{"__proto__":{"scopes":["operate"]}}') as Record<string, unknown>],
  ])('a bad %s makes no key', async (field, more) => {
    const before = (await admin.call('listKeys')).value().keys.length;
    const json = JSON.stringify({ name: 'k', ...wanted, ...more }).replace(
      /\}$/,
      Object.hasOwn(more, '__proto__') ? ',"__proto__":{"scopes":["operate"]}}' : '}',
    );
    const answer = await admin.call('createKey', { json });
    expect(refusedFields(answer)).toEqual([field]);
    expect((await admin.call('listKeys')).value().keys).toHaveLength(before);
  });

  test.each(['環境キー', 'environment', 'مفتاح', 'billing 🔒', 'a-b_c.d (2)'])(
    'a name that is seen as it is makes a key: %s',
    async (name) => {
      expect((await newKey({ name })).key.name).toBe(name);
    },
  );

  test('what happens to a key is on record, by whom and by which request', async () => {
    const { key } = await newKey();
    const headers = { 'x-request-id': fresh('request') };
    await admin.call('rotateKey', { id: key.id, body: { overlap_seconds: 60 }, headers });
    await admin.call('revokeKey', { id: key.id, headers });
    const events = rowsOf(
      server.databaseFile,
      'SELECT kind, actor, subject, client, request_id FROM lock_events WHERE subject = ? ORDER BY id',
      key.name,
    );
    const by = { actor: testAdmin.email, subject: key.name, client: 'billing' };
    expect(events).toMatchObject([
      { kind: 'key_created', ...by },
      { kind: 'key_rotated', ...by, request_id: headers['x-request-id'] },
      { kind: 'key_revoked', ...by, request_id: headers['x-request-id'] },
    ]);
  });

  test('the last use of a key is noted, to the minute, and not with every call', async () => {
    const { key, secret } = await newKey();
    const api = createApi(server, bearer(secret));
    const lastUse = async () =>
      (await admin.call('listKeys')).value().keys.find(({ id }) => id === key.id)?.last_used_at;
    await Promise.all(Array.from({ length: 50 }, () => api.call('list')));
    await expect.poll(lastUse, { timeout: 10_000 }).not.toBeNull();
    const noted = await lastUse();
    await Promise.all(Array.from({ length: 50 }, () => api.call('list')));
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(await lastUse()).toBe(noted);
  });

  test('no secret is in the database, in the log or in an answer', async () => {
    const { secret } = await newKey();
    await statusBy(secret);
    await statusBy(`${secret}x`);
    const kept = JSON.stringify(dump(server.databaseFile), (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    for (const hidden of [secret, secret.slice(16), testKey, testAdmin.password]) {
      expect(kept).not.toContain(hidden);
      expect(server.log()).not.toContain(hidden);
    }
  });

  test('ten thousand guesses find nothing, and keep no right key waiting', async () => {
    const { key, secret } = await newKey();
    const guess = (number: number) =>
      `${key.prefix}_${number.toString(36).padStart(4, '0')}${'A'.repeat(39)}`;
    const guesser = createApi(server, {});
    let refused = 0;
    const queue = Array.from({ length: 10_000 }, (_, number) => number).values();
    await Promise.all(
      Array.from({ length: 32 }, async () => {
        for (const number of queue) {
          const answer = await guesser.call('me', { headers: bearer(guess(number)) });
          if (answer.status === 401) refused += 1;
          if (number % 1_000 === 0) expect(await statusBy(secret)).toBe(200);
        }
      }),
    );
    expect(refused).toBe(10_000);
  });
});
