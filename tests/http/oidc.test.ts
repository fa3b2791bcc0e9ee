import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

import { createApi, type Api } from '../support/api';
import { adminEnvironment, testAdmin } from '../support/callers';
import { rowsOf } from '../support/database';
import { send, type RawAnswer } from '../support/http';
import {
  begin,
  client,
  comeBack,
  freePort,
  signInByProvider,
  startProvider,
  tryToBegin,
  visitProvider,
  type ProviderOptions,
  type TestProvider,
} from '../support/oidc';
import { addMember, cookieOf, signIn, trySignIn } from '../support/people';
import { createDatabase } from '../support/postgres-cluster';
import { startServer, type TestServer } from '../support/server';
import { poll } from '../support/waiting';

/** A service and a provider that know each other's addresses. */
interface Pair {
  readonly service: string;
  readonly server: TestServer;
  readonly provider: TestProvider;
}

interface PairOptions extends Pick<ProviderOptions, 'idTokenClaims' | 'issuerPath'> {
  readonly environment?: Readonly<Record<string, string>>;
}

async function addresses() {
  const [servicePort, providerPort] = [await freePort(), await freePort()];
  return { servicePort, providerPort, publicUrl: `http://127.0.0.1:${servicePort}` };
}

function startService(
  { servicePort, providerPort, publicUrl }: Awaited<ReturnType<typeof addresses>>,
  environment: PairOptions['environment'] = {},
): Promise<TestServer> {
  return startServer({
    environment: {
      ...adminEnvironment,
      PORT: String(servicePort),
      HOLDFAST_PUBLIC_URL: publicUrl,
      HOLDFAST_TRUSTED_PROXIES: '127.0.0.1',
      HOLDFAST_OIDC_ISSUER: `http://127.0.0.1:${providerPort}`,
      HOLDFAST_OIDC_CLIENT_ID: client.id,
      HOLDFAST_OIDC_CLIENT_SECRET: client.secret,
      ...environment,
    },
  });
}

async function startPair(options: PairOptions = {}): Promise<Pair> {
  const known = await addresses();
  const [provider, server] = await Promise.all([
    startProvider({ ...options, port: known.providerPort, publicUrl: known.publicUrl }),
    startService(known, options.environment),
  ]);
  return { service: known.publicUrl, server, provider };
}

async function stopPair({ server, provider }: Pair): Promise<void> {
  await Promise.all([server.stop(), provider.stop()]);
}

const newPerson = () => {
  const sub = randomUUID();
  return { sub, email: `${sub}@example.com`, name: 'Ben Ito' };
};

/** Where a browser is sent: the page, and what it is told there. */
function placeOf(answer: RawAnswer): string {
  expect([answer.status, answer.body]).toEqual([302, '']);
  return answer.headers.location ?? 'nowhere';
}

function errorOf(answer: RawAnswer): string | null {
  const place = new URL(placeOf(answer), 'http://own.invalid');
  expect([place.origin, place.pathname]).toEqual(['http://own.invalid', '/sign-in']);
  expect(cookieOf(answer)).not.toContain('session_token=');
  return place.searchParams.get('error');
}

/** Who the service takes the browser for. */
async function personOf(server: TestServer, answer: RawAnswer) {
  const me = await createApi(server, { cookie: cookieOf(answer) }).call('me');
  const value = me.value();
  if (value.kind !== 'person') throw new Error('not a person');
  return value;
}

describe('signing in by another provider', () => {
  let pair: Pair;
  let admin: Api;
  beforeAll(async () => {
    pair = await startPair();
    admin = createApi(pair.server, await signIn(pair.server));
  });
  afterAll(() => stopPair(pair));

  const enter = async (claims: Readonly<Record<string, unknown>>) => {
    const person = newPerson();
    const { sub, ...rest } = person;
    await pair.provider.enter(sub, { ...rest, ...claims });
    return person;
  };
  const eventsOf = (email: string) =>
    rowsOf(
      pair.server.databaseFile,
      'SELECT kind, actor, reason FROM lock_events WHERE subject = ? ORDER BY id',
      email,
    );

  test('whoever it gives a role becomes a member with that role, on record', async () => {
    const { sub, email, name } = await enter({ holdfast_role: 'operator' });
    const answer = await signInByProvider(pair.service, sub);
    expect(placeOf(answer)).toBe('/');
    expect(await personOf(pair.server, answer)).toMatchObject({ email, name, role: 'operator' });
    const { members } = (await admin.call('listMembers')).value();
    expect(members.find((member) => member.email === email)).toMatchObject({
      role: 'operator',
      state: 'active',
      signs_in_by: ['provider'],
    });
    expect(eventsOf(email)).toEqual([
      { kind: 'member_added', actor: email, reason: 'first sign-in at the provider' },
      { kind: 'signed_in', actor: email, reason: null },
    ]);
  });

  test('the session is for the cookie alone, and the provider’s tokens are kept nowhere', async () => {
    const { sub } = await enter({ holdfast_role: 'viewer' });
    const answer = await signInByProvider(pair.service, sub);
    const line = answer.headers['set-cookie']?.find((one) => one.includes('session_token='));
    expect(line).toMatch(/; HttpOnly/i);
    expect(line).toMatch(/; SameSite=Lax/i);
    expect(answer.headers['cache-control']).toBe('no-store');
    const kept = rowsOf(
      pair.server.databaseFile,
      'SELECT access_token, refresh_token, id_token FROM accounts WHERE account_id = ?',
      sub,
    );
    expect(kept).toEqual([{ access_token: null, refresh_token: null, id_token: null }]);
  });

  test('the role is read anew at each sign-in, and its change is on record', async () => {
    const { sub, email } = await enter({ holdfast_role: 'viewer' });
    const first = await signInByProvider(pair.service, sub);
    await pair.provider.enter(sub, { email, holdfast_role: 'admin' });
    const second = await signInByProvider(pair.service, sub);
    expect((await personOf(pair.server, second)).role).toBe('admin');
    expect((await personOf(pair.server, first)).role).toBe('admin');
    await pair.provider.enter(sub, { email, holdfast_role: 'viewer' });
    expect((await personOf(pair.server, await signInByProvider(pair.service, sub))).role).toBe(
      'viewer',
    );
    const events = rowsOf(
      pair.server.databaseFile,
      "SELECT kind, actor, reason FROM lock_events WHERE subject = ? AND kind = 'member_changed'",
      email,
    );
    expect(events).toEqual([
      { kind: 'member_changed', actor: email, reason: 'role viewer to admin, by the provider' },
      { kind: 'member_changed', actor: email, reason: 'role admin to viewer, by the provider' },
    ]);
  });

  test.each([
    ['none', {}],
    ['an unknown one', { holdfast_role: 'root' }],
    ['none in a list', { holdfast_role: ['users', 'staff'] }],
    ['something that is no name', { holdfast_role: { admin: true } }],
  ])('whoever it gives no role is told so on the sign-in page: %s', async (_, claims) => {
    const { sub, email } = await enter(claims);
    expect(errorOf(await signInByProvider(pair.service, sub))).toBe('no_role');
    expect(eventsOf(email)).toEqual([]);
  });

  test('whoever has lost the role does not come in again', async () => {
    const { sub, email } = await enter({ holdfast_role: 'admin' });
    await signInByProvider(pair.service, sub);
    await pair.provider.enter(sub, { email });
    expect(errorOf(await signInByProvider(pair.service, sub))).toBe('no_role');
  });

  test('of several roles the highest counts', async () => {
    const { sub } = await enter({ holdfast_role: ['viewer', 'operator', 'users'] });
    const answer = await signInByProvider(pair.service, sub);
    expect((await personOf(pair.server, answer)).role).toBe('operator');
  });

  test('an address that has a password here is not taken over', async () => {
    const { sub, email } = newPerson();
    const member = await addMember(pair.server, admin, { email, role: 'viewer' });
    await pair.provider.enter(sub, { email, email_verified: true, holdfast_role: 'admin' });
    expect(errorOf(await signInByProvider(pair.service, sub))).toBe('account_not_linked');
    const me = (await member.api.call('me')).value();
    expect(me).toMatchObject({ email, role: 'viewer' });
  });

  test('nor is it by somebody who was here under another address', async () => {
    const { sub } = await enter({ holdfast_role: 'admin' });
    await signInByProvider(pair.service, sub);
    await pair.provider.enter(sub, { email: testAdmin.email, holdfast_role: 'admin' });
    expect(errorOf(await signInByProvider(pair.service, sub))).toBe('account_not_linked');
    expect((await trySignIn(pair.server, testAdmin)).status).toBe(200);
  });

  test('a person stays the same member under a new address', async () => {
    const { sub, email } = await enter({ holdfast_role: 'viewer' });
    const before = await personOf(pair.server, await signInByProvider(pair.service, sub));
    const next = `new-${email}`;
    await pair.provider.enter(sub, { email: next, holdfast_role: 'viewer' });
    const after = await personOf(pair.server, await signInByProvider(pair.service, sub));
    expect(after).toMatchObject({ id: before.id, email: next });
    expect(eventsOf(next)[0]).toMatchObject({
      kind: 'member_changed',
      reason: `address ${email} to ${next}, by the provider`,
    });
  });

  test('whoever has no address is told so on the sign-in page', async () => {
    const sub = randomUUID();
    await pair.provider.enter(sub, { holdfast_role: 'admin' });
    expect(errorOf(await signInByProvider(pair.service, sub))).toBe('email_not_found');
  });

  test('the provider is asked with PKCE, a state and a nonce, for its own page alone', async () => {
    const asked = new URL((await begin(pair.service)).url);
    expect(asked.origin).toBe(pair.provider.issuer);
    const { searchParams: query } = asked;
    expect(query.get('code_challenge_method')).toBe('S256');
    for (const name of ['code_challenge', 'state', 'nonce']) {
      expect([name, (query.get(name) ?? '').length >= 32]).toEqual([name, true]);
    }
    expect(query.get('redirect_uri')).toBe(`${pair.service}/api/auth/callback/oidc`);
  });

  test.each([
    ['/locks/a%2Fb?state=all#history', '/locks/a%2Fb?state=all#history'],
    ['https://evil.example/', '/'],
    ['//evil.example/', '/'],
    ['/\\evil.example/', '/'],
    ['/.//evil.example', '/'],
    ['/api/locks.csv', '/'],
    ['javascript:alert(1)', '/'],
  ])('afterwards one goes on to a page of the service alone: %s', async (to, expected) => {
    const { sub } = await enter({ holdfast_role: 'viewer' });
    expect(placeOf(await signInByProvider(pair.service, sub, { to }))).toBe(expected);
  });

  test('after a refusal the way back is still known', async () => {
    const { sub } = await enter({});
    const place = placeOf(await signInByProvider(pair.service, sub, { to: '/locks/a?x=1&y=2' }));
    expect(new URL(place, pair.service).searchParams.get('to')).toBe('/locks/a?x=1&y=2');
  });

  test('other fields of a request change nothing: neither whose callback nor where errors go', async () => {
    const { sub } = await enter({});
    const more = {
      callbackURL: 'https://evil.example/',
      errorCallbackURL: 'https://evil.example/',
      newUserCallbackURL: 'https://evil.example/',
      additionalParams: { redirect_uri: 'https://evil.example/' },
      idToken: { token: 'a.b.c' },
    };
    expect(errorOf(await signInByProvider(pair.service, sub, more))).toBe('no_role');
  });

  test('a code works once', async () => {
    const { sub } = await enter({ holdfast_role: 'admin' });
    const begun = await begin(pair.service);
    const back = await visitProvider(begun, sub);
    expect(placeOf(await comeBack(pair.service, back, begun.cookie))).toBe('/');
    expect(errorOf(await comeBack(pair.service, back, begun.cookie))).toBe('state_mismatch');
    const again = await begin(pair.service);
    const stolen = new URL(back);
    stolen.searchParams.set('state', new URL(again.url).searchParams.get('state') ?? '');
    expect(errorOf(await comeBack(pair.service, stolen, again.cookie))).toBe('invalid_code');
  });

  test('a code that another browser has fetched is refused, since it has not the verifier', async () => {
    const { sub } = await enter({ holdfast_role: 'admin' });
    const [one, two] = [await begin(pair.service), await begin(pair.service)];
    const back = await visitProvider(one, sub);
    back.searchParams.set('state', new URL(two.url).searchParams.get('state') ?? '');
    expect(errorOf(await comeBack(pair.service, back, two.cookie))).toBe('invalid_code');
  });

  test('a callback that the browser did not ask for is refused', async () => {
    const { sub } = await enter({ holdfast_role: 'admin' });
    const begun = await begin(pair.service);
    const back = await visitProvider(begun, sub);
    expect(errorOf(await comeBack(pair.service, back, ''))).toBe('state_mismatch');
    const other = await begin(pair.service);
    expect(errorOf(await comeBack(pair.service, back, other.cookie))).toBe('state_mismatch');
  });

  test.each([
    ['a forged state', '?code=x&state=forged', 'state_mismatch'],
    ['no state', '?code=x', 'state_not_found'],
    ['nothing', '', 'state_not_found'],
    ['an error', '?error=access_denied', 'state_not_found'],
    ['a state twice', '?state=a&state=b&code=x', null],
  ])('a callback with %s ends on the sign-in page', async (_, query, expected) => {
    const answer = await send(pair.service, {
      method: 'GET',
      path: `/api/auth/callback/oidc${query}`,
    });
    const error = errorOf(answer);
    if (expected !== null) expect(error).toBe(expected);
    else expect(error).not.toBeNull();
  });

  test('who declines at the provider comes back to the sign-in page', async () => {
    const begun = await begin(pair.service);
    const back = new URL('/api/auth/callback/oidc?error=access_denied', pair.service);
    back.searchParams.set('state', new URL(begun.url).searchParams.get('state') ?? '');
    expect(errorOf(await comeBack(pair.service, back, begun.cookie))).toBe('access_denied');
  });

  test('a callback that names another issuer is refused', async () => {
    const { sub } = await enter({ holdfast_role: 'admin' });
    const begun = await begin(pair.service);
    const back = await visitProvider(begun, sub);
    back.searchParams.set('iss', 'https://evil.example');
    expect(errorOf(await comeBack(pair.service, back, begun.cookie))).toBe('issuer_mismatch');
  });

  test('an ID token that somebody has changed is refused', async () => {
    const { sub, email } = await enter({ holdfast_role: 'viewer' });
    await pair.provider.lie('signature');
    const answer = await signInByProvider(pair.service, sub).finally(() => pair.provider.lie(null));
    expect(errorOf(answer)).toBe('unable_to_get_user_info');
    expect(eventsOf(email)).toEqual([]);
  });

  test('sign-ins that work use up no attempts, and others do', async () => {
    const from = '10.0.0.1';
    const { sub } = await enter({ holdfast_role: 'viewer' });
    for (let round = 0; round < 35; round += 1) {
      const begun = await begin(pair.service, {}, from);
      const back = await visitProvider(begun, sub);
      expect(placeOf(await comeBack(pair.service, back, begun.cookie, from))).toBe('/');
    }
    const statuses = new Set<number>();
    for (let round = 0; round < 60; round += 1) {
      statuses.add((await tryToBegin(pair.service, {}, from)).status);
    }
    expect([...statuses]).toEqual([200, 429]);
  });

  test('a sign-in is begun by the service’s own page alone', async () => {
    for (const headers of [{ origin: 'https://evil.example' }, {}]) {
      const answer = await send(pair.service, {
        method: 'POST',
        path: '/api/auth/sign-in/social',
        headers: { 'content-type': 'application/json', ...headers },
        body: '{}',
      });
      expect(answer.status).toBe(403);
    }
  });
});

describe('where the role stands', () => {
  test.each([
    ['realm.roles', { realm: { roles: ['offline_access', 'operator'] } }],
    ['https://roles.example.com/holdfast', { 'https://roles.example.com/holdfast': 'operator' }],
  ])('the claim may be %s', async (roleClaim, claims) => {
    const pair = await startPair({ environment: { HOLDFAST_OIDC_ROLE_CLAIM: roleClaim } });
    try {
      const { sub, ...person } = newPerson();
      await pair.provider.enter(sub, { ...person, ...claims });
      const answer = await signInByProvider(pair.service, sub);
      expect((await personOf(pair.server, answer)).role).toBe('operator');
      const other = newPerson();
      await pair.provider.enter(other.sub, { email: other.email, holdfast_role: 'admin' });
      expect(errorOf(await signInByProvider(pair.service, other.sub))).toBe('no_role');
    } finally {
      await stopPair(pair);
    }
  });

  test('the claims may stand at the userinfo endpoint alone, and are that person’s', async () => {
    const pair = await startPair({ idTokenClaims: 'few' });
    try {
      const { sub, ...person } = newPerson();
      await pair.provider.enter(sub, { ...person, holdfast_role: 'operator' });
      const answer = await signInByProvider(pair.service, sub);
      expect(await personOf(pair.server, answer)).toMatchObject({ ...person, role: 'operator' });
      await pair.provider.lie('another subject');
      const forged = await signInByProvider(pair.service, sub);
      expect(errorOf(forged)).not.toBeNull();
    } finally {
      await stopPair(pair);
    }
  });
});

describe('a provider that is not there', () => {
  const unavailable = '503 provider-unavailable';
  const told = ({ status, body }: RawAnswer) =>
    `${status} ${(JSON.parse(body) as { code?: string }).code ?? ''}`;

  test('hinders neither the start nor a password, and works once it is up', async () => {
    const known = await addresses();
    const server = await startService(known);
    let provider: TestProvider | null = null;
    try {
      expect(told(await tryToBegin(known.publicUrl))).toBe(unavailable);
      expect((await trySignIn(server, testAdmin)).status).toBe(200);
      provider = await startProvider({ port: known.providerPort, publicUrl: known.publicUrl });
      const { sub, ...person } = newPerson();
      await provider.enter(sub, { ...person, holdfast_role: 'viewer' });
      expect(placeOf(await signInByProvider(known.publicUrl, sub))).toBe('/');
    } finally {
      await Promise.all([server.stop(), provider?.stop()]);
    }
  });

  test('hinders no password either when it takes requests and never answers', async () => {
    const known = await addresses();
    const provider = await startProvider({
      port: known.providerPort,
      publicUrl: known.publicUrl,
    });
    await provider.lie('silence');
    const server = await startService(known);
    try {
      const begun = tryToBegin(known.publicUrl);
      expect((await trySignIn(server, testAdmin)).status).toBe(200);
      expect(told(await begun)).toBe(unavailable);
      await provider.lie(null);
      expect((await tryToBegin(known.publicUrl)).status).toBe(200);
    } finally {
      await Promise.all([server.stop(), provider.stop()]);
    }
  });

  test('is told on the sign-in page when it goes in between, and to the next who wants it', async () => {
    const pair = await startPair();
    try {
      const { sub, ...person } = newPerson();
      await pair.provider.enter(sub, { ...person, holdfast_role: 'viewer' });
      const begun = await begin(pair.service);
      const back = await visitProvider(begun, sub);
      await pair.provider.stop();
      expect(errorOf(await comeBack(pair.service, back, begun.cookie))).toBe('unavailable');
      expect(told(await tryToBegin(pair.service))).toBe(unavailable);
    } finally {
      await stopPair(pair);
    }
  });

  test('is refused under another name than the one that was set', async () => {
    const pair = await startPair({ issuerPath: '/other' });
    try {
      expect(told(await tryToBegin(pair.service))).toBe(unavailable);
      await poll(() => (pair.server.log().includes('HOLDFAST_OIDC_ISSUER is') ? true : null), {
        withinMs: 10_000,
        describe: () => `the log does not tell why:\n${pair.server.log()}`,
      });
      expect(pair.server.log()).not.toContain(client.secret);
    } finally {
      await stopPair(pair);
    }
  });
});

test('a sign-in by another provider is the same on PostgreSQL', async () => {
  const pair = await startPair({
    environment: { DATABASE_URL: await createDatabase(inject('postgresUrl')) },
  });
  try {
    const { sub, ...person } = newPerson();
    await pair.provider.enter(sub, { ...person, holdfast_role: 'viewer' });
    const first = await signInByProvider(pair.service, sub, { to: '/locks/a' });
    expect(placeOf(first)).toBe('/locks/a');
    await pair.provider.enter(sub, { ...person, holdfast_role: 'operator' });
    await signInByProvider(pair.service, sub);
    expect(await personOf(pair.server, first)).toMatchObject({ ...person, role: 'operator' });
    await pair.provider.enter(sub, person);
    expect(errorOf(await signInByProvider(pair.service, sub))).toBe('no_role');
  } finally {
    await stopPair(pair);
  }
});

describe('the ways to sign in', () => {
  const waysOf = async ({ url }: TestServer) =>
    JSON.parse((await send(url, { method: 'GET', path: '/api/auth/ways' })).body) as unknown;

  test('anybody is told whether there is a provider, and whether anybody is an admin yet', async () => {
    const known = await addresses();
    const [with_, without] = await Promise.all([startService(known), startServer()]);
    try {
      expect(await waysOf(with_)).toEqual({ provider: true, is_set_up: true });
      expect(await waysOf(without)).toEqual({ provider: false, is_set_up: false });
      expect((await tryToBegin(without.url)).status).toBe(404);
      const callback = { method: 'GET', path: '/api/auth/callback/oidc?code=x&state=y' };
      expect((await send(without.url, callback)).status).toBe(404);
    } finally {
      await Promise.all([with_.stop(), without.stop()]);
    }
  });
});
