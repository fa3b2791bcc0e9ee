import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

import type { Scope } from '@/lib/contract/access';
import type { EndpointName } from '@/lib/contract/endpoints';

import { createApi, endpoints, pathTo, type Api, type Call } from '../support/api';
import { fresh } from '../support/both-doors';
import { adminEnvironment, bearer, testKey } from '../support/callers';
import { change } from '../support/database';
import { addMember, signIn } from '../support/people';
import { createDatabase, query } from '../support/postgres-cluster';
import { doors, startServer, type TestServer } from '../support/server';

/** What each known caller may do, by the contract's table: a row for every endpoint, or this does not compile. */
type Known = 'acquire' | 'read' | 'operate' | 'viewer' | 'operator' | 'admin';

const services: readonly Known[] = ['acquire'];
const readers: readonly Known[] = ['read', 'operate', 'viewer', 'operator', 'admin'];
const operators: readonly Known[] = ['operate', 'operator', 'admin'];
const everyKnown: readonly Known[] = ['acquire', ...readers];
const admins: readonly Known[] = ['admin'];

const allowed: Readonly<Record<EndpointName, readonly Known[] | 'anybody'>> = {
  acquire: services,
  renew: services,
  release: services,
  inspect: everyKnown,
  check: everyKnown,
  list: readers,
  contention: readers,
  lockStats: readers,
  stats: readers,
  lockEvents: readers,
  events: readers,
  exportEvents: readers,
  exportLocks: readers,
  // Keys need the pattern *, which those of the matrix don't have.
  metrics: ['viewer', 'operator', 'admin'],
  status: ['viewer', 'operator', 'admin'],
  streamEvents: readers,
  forceRelease: operators,
  hold: operators,
  askRelease: operators,
  bulkForceRelease: operators,
  me: everyKnown,
  listKeys: admins,
  createKey: admins,
  rotateKey: admins,
  revokeKey: admins,
  listMembers: admins,
  inviteMember: admins,
  changeMember: admins,
  removeMember: admins,
  renewMemberLink: admins,
  lookUpLink: 'anybody',
  redeemLink: 'anybody',
  live: 'anybody',
  ready: 'anybody',
  openapi: 'anybody',
};

const unknown = [
  'no caller',
  'a wrong key',
  'a revoked key',
  'an expired key',
  'a key of another length',
  'a key that is no ASCII',
  'a password by Basic',
  'a session that was ended',
  'a session of a removed member',
  'a forged session',
] as const;
const outOfPattern = ['acquire', 'read', 'operate'] as const satisfies readonly Scope[];
const names = Object.keys(allowed) as EndpointName[];

test('the matrix has a row for every endpoint', () => {
  expect(names.toSorted()).toEqual(Object.keys(endpoints).toSorted());
});

/** Next's door is tried on one database: what differs between databases is behind both doors. */
const places = [
  ...doors.map((door) => ({ door, database: 'SQLite' as const })),
  { door: 'npm start' as const, database: 'PostgreSQL' as const },
];

describe.each(places)('who may do what, through $door on $database', ({ door, database }) => {
  let server: TestServer;
  let postgresUrl: string | null = null;
  let admin: Api;
  /** A key that may do everything, for the same client as the others: it prepares what a call needs. */
  let prepare: Api;
  const callers = new Map<string, Api>();
  const callerOf = (name: string): Api => {
    const api = callers.get(name);
    if (api === undefined) throw new Error(`There is no caller ${name}`);
    return api;
  };

  beforeAll(async () => {
    if (database === 'PostgreSQL') postgresUrl = await createDatabase(inject('postgresUrl'));
    const url = postgresUrl === null ? {} : { DATABASE_URL: postgresUrl };
    server = await startServer({ door, environment: { ...adminEnvironment, ...url } });
    admin = createApi(server, await signIn(server));
    await makeCallers();
  });
  afterAll(() => server.stop());

  async function newKey(scopes: readonly Scope[], patterns: readonly string[]) {
    const body = { name: fresh('key'), client: 'svc', scopes, patterns };
    return (await admin.call('createKey', { body })).value();
  }

  /** Behind the service's back: no key can be made that ends within the patience of a test. */
  async function endKey(id: string, atMs: number): Promise<void> {
    const set = 'UPDATE api_keys SET expires_at =';
    if (postgresUrl === null) change(server.databaseFile, `${set} ? WHERE id = ?`, atMs, id);
    else await query(postgresUrl, `${set} to_timestamp($1 / 1000.0) WHERE id = $2`, [atMs, id]);
  }

  async function makeCallers(): Promise<void> {
    const as = (headers: Parameters<typeof createApi>[1]) => createApi(server, headers);
    prepare = as(bearer((await newKey(['acquire', 'read', 'operate'], ['*'])).secret));
    for (const scope of outOfPattern) {
      callers.set(scope, as(bearer((await newKey([scope], ['in/*'])).secret)));
    }
    callers.set('admin', admin);
    for (const role of ['viewer', 'operator']) {
      const member = await addMember(server, admin, { email: `${role}@example.com`, role });
      callers.set(role, member.api);
    }
    const every: readonly Scope[] = ['acquire', 'read', 'operate'];
    const revoked = await newKey(every, ['*']);
    await admin.call('revokeKey', { id: revoked.key.id });
    const expired = await newKey(every, ['*']);
    await admin.call('rotateKey', { id: expired.key.id, body: { overlap_seconds: 0 } });
    const ended = await signIn(server);
    await createApi(server, ended).raw({ method: 'POST', path: '/api/auth/sign-out' });
    const removed = await addMember(server, admin, { email: 'gone@example.com', role: 'admin' });
    await admin.call('removeMember', { id: removed.id });
    const session = await signIn(server);
    const [name = '', value = ''] = session.cookie.split('=');

    callers.set('no caller', as({}));
    callers.set('a wrong key', as(bearer(`hf_${'0'.repeat(12)}_${'A'.repeat(43)}`)));
    callers.set('a revoked key', as(bearer(revoked.secret)));
    callers.set('an expired key', as(bearer(expired.secret)));
    callers.set('a key of another length', as(bearer(testKey.slice(0, -1))));
    callers.set(
      'a key that is no ASCII',
      as(bearer(Buffer.from('hf_鍵'.repeat(20)).toString('latin1'))),
    );
    const basic = Buffer.from(`env:${testKey}`).toString('base64');
    callers.set('a password by Basic', as({ authorization: `Basic ${basic}` }));
    callers.set('a session that was ended', as(ended));
    callers.set('a session of a removed member', as(removed.headers));
    const forged = `${name}=${value.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))}`;
    callers.set('a forged session', as({ ...session, cookie: forged }));
    callers.set('a page of another site', as({ ...session, origin: 'https://example.com' }));
  }

  /** A call that succeeds for whoever may make it, on a lock of the client that the keys are for. */
  async function goodCall(name: EndpointName, resource: string): Promise<Call> {
    const ttl = { ttl_seconds: 60 };
    const token = async () => (await prepare.grant(resource)).fencing_token;
    switch (name) {
      case 'acquire':
        return { resource, body: { owner: 'owner', ...ttl } };
      case 'renew':
        return { resource, body: { owner: 'owner', ...ttl, fencing_token: await token() } };
      case 'release':
        return { resource, body: { owner: 'owner', fencing_token: await token() } };
      case 'check':
        return { resource, body: { fencing_token: await token() } };
      case 'inspect':
      case 'contention':
      case 'lockStats':
      case 'lockEvents':
        await token();
        return { resource };
      case 'forceRelease':
      case 'askRelease':
        return { resource, body: { reason: 'a test', fencing_token: await token() } };
      case 'hold':
        return { resource, body: { reason: 'a test', ...ttl, fencing_token: await token() } };
      case 'bulkForceRelease':
        return { body: { reason: 'a test', locks: [{ resource, fencing_token: await token() }] } };
      case 'list':
        await token();
        return { query: { prefix: resource } };
      case 'events':
      case 'exportEvents':
        await token();
        return { query: { resource } };
      case 'exportLocks':
        await token();
        return { query: { prefix: resource } };
      case 'createKey':
        return { body: { name: 'k', client: 'svc', scopes: ['read'], patterns: ['*'] } };
      case 'rotateKey':
        return { id: (await newKey(['read'], ['*'])).key.id, body: { overlap_seconds: 60 } };
      case 'revokeKey':
        return { id: (await newKey(['read'], ['*'])).key.id };
      case 'inviteMember':
        return { body: { email: `${fresh('m')}@example.com`, role: 'viewer' } };
      case 'changeMember':
        return { id: (await newMember()).id, body: { role: 'operator' } };
      case 'removeMember':
      case 'renewMemberLink':
        return { id: (await newMember()).id };
      case 'lookUpLink':
        return { body: { token: (await newMember()).token } };
      case 'redeemLink':
        return { body: { token: (await newMember()).token, password: 'a long password' } };
      case 'stats':
      case 'me':
      case 'listKeys':
      case 'listMembers':
      case 'live':
      case 'ready':
      case 'openapi':
      case 'metrics':
      case 'status':
      case 'streamEvents':
        return {};
    }
  }

  async function newMember() {
    const body = { email: `${fresh('m')}@example.com`, role: 'viewer' };
    const { member, link } = (await admin.call('inviteMember', { body })).value();
    return { id: member.id, token: new URL(link).hash.slice(1) };
  }

  /** Makes the call, and says how it ended: `ok`, or the status of the refusal, which must have changed nothing. */
  async function outcome(name: EndpointName, caller: string, resource: string) {
    const call = await goodCall(name, resource);
    const before = await stateOf(resource);
    const answer = await callerOf(caller).call(name, call);
    if (!answer.ok) expect(await stateOf(resource)).toEqual(before);
    const declared = Object.keys(endpoints[name].answers).map(Number);
    return declared.includes(answer.status) ? 'ok' : String(answer.status);
  }

  async function stateOf(resource: string) {
    const answer = await prepare.call('inspect', { resource });
    if (!answer.ok) return null;
    const { fencing_token, renew_count, release_requested } = answer.value().lock;
    return { fencing_token, renew_count, release_requested };
  }

  describe.each(names)('%s', (name) => {
    const rule = allowed[name];

    test.each(unknown)('%s', async (caller) => {
      const expected = rule === 'anybody' ? 'ok' : '401';
      expect(await outcome(name, caller, `in/${fresh()}`)).toBe(expected);
    });

    test.each(everyKnown)('%s', async (caller) => {
      const isAllowed = rule === 'anybody' || rule.includes(caller);
      expect(await outcome(name, caller, `in/${fresh()}`)).toBe(isAllowed ? 'ok' : '403');
    });

    test.each(outOfPattern)('%s, out of pattern', async (caller) => {
      const isAboutOneResource = endpoints[name].path.includes('{resource}');
      const isAllowed = rule === 'anybody' || rule.includes(caller);
      const expected = isAllowed && !isAboutOneResource ? 'ok' : '403';
      expect(await outcome(name, caller, `out/${fresh()}`)).toBe(expected);
    });

    test('an admin’s cookie from a page of another site', async () => {
      const expected = rule === 'anybody' ? 'ok' : '403';
      expect(await outcome(name, 'a page of another site', `in/${fresh()}`)).toBe(expected);
    });
  });

  test.each(unknown)('%s learns of no path whether it is there', async (caller) => {
    const known = pathTo('inspect', { resource: 'a' });
    for (const path of [known, '/api/nope', '/api', '/api/metrics', '/api/locks/a/b']) {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        const { status } = await callerOf(caller).raw({ method, path });
        expect([method, path, status]).toEqual([method, path, 401]);
      }
    }
  });

  test('a list shows and counts what the key’s patterns cover, on every page', async () => {
    const name = fresh();
    for (const resource of [`in/${name}`, `out/${name}`]) await prepare.grant(resource);
    const query = { q: name };
    const seen = (await callerOf('read').call('list', { query })).value();
    expect(seen.locks.map(({ resource }) => resource)).toEqual([`in/${name}`]);
    expect(seen.counts.active).toBe(1);
    expect((await prepare.call('list', { query })).value().counts.active).toBe(2);
  });

  test('a bulk force-release judges each lock by the patterns, and ends none beyond them', async () => {
    const [near, far] = [`in/${fresh()}`, `out/${fresh()}`];
    const locks = [];
    for (const resource of [far, near]) {
      const { fencing_token } = await prepare.grant(resource);
      locks.push({ resource, fencing_token });
    }
    const answer = await callerOf('operate').call('bulkForceRelease', {
      body: { reason: 'a test', locks },
    });
    expect(answer.value().results).toEqual([
      { resource: far, outcome: 'forbidden' },
      { resource: near, outcome: 'released' },
    ]);
    expect(await stateOf(far)).not.toBeNull();
    expect(await stateOf(near)).toBeNull();
  });

  test('a key whose time has come ends by itself', async () => {
    const { key, secret } = await newKey(['read'], ['*']);
    const api = createApi(server, bearer(secret));
    expect((await api.call('list')).status).toBe(200);
    await endKey(key.id, Date.now() - 1_000);
    await expect
      .poll(async () => (await api.call('list')).status, { timeout: 5_000, interval: 50 })
      .toBe(401);
  });
});
