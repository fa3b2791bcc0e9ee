import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { createApi, outcomeOf, refusedFields, type Api } from '../support/api';
import { fresh } from '../support/both-doors';
import { adminEnvironment, testAdmin } from '../support/callers';
import { dump, rowsOf } from '../support/database';
import { send } from '../support/http';
import { addMember, cookieOf, originOf, signIn, trySignIn } from '../support/people';
import { doors, startServer, type TestServer } from '../support/server';

const password = 'another long password';

describe.each(doors)('people, through %s', (door) => {
  let server: TestServer;
  let admin: Api;
  beforeAll(async () => {
    server = await startServer({ door, environment: adminEnvironment });
    admin = createApi(server, await signIn(server));
  });
  afterAll(() => server.stop());

  const newEmail = () => `${fresh('m')}@example.com`;
  const post = (path: string, headers: Record<string, string>, body?: unknown) =>
    send(server.url, {
      method: 'POST',
      path: `/api/auth${path}`,
      headers: { 'content-type': 'application/json', ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  async function invite(role = 'viewer', email = newEmail()) {
    const { link, member } = (await admin.call('inviteMember', { body: { email, role } })).value();
    return { email, id: member.id, member, token: new URL(link).hash.slice(1) };
  }
  const redeem = (token: string, more: Record<string, unknown> = {}) =>
    createApi(server, {}).call('redeemLink', { body: { token, password, ...more } });

  test('a sign-in answers who it is, and gives the session to the cookie alone', async () => {
    const answer = await trySignIn(server, testAdmin);
    expect(answer.status).toBe(200);
    const me: unknown = JSON.parse(answer.body);
    expect(me).toMatchObject({ kind: 'person', email: testAdmin.email, role: 'admin' });
    const [line = ''] = answer.headers['set-cookie'] ?? [];
    expect(line).toMatch(/^holdfast\.session_token=[^;]+;/);
    expect(line).toMatch(/; HttpOnly/i);
    expect(line).toMatch(/; SameSite=Lax/i);
    expect(line).toMatch(/; Path=\//i);
    expect(line).not.toMatch(/; (Secure|Domain)/i);
    const token = decodeURIComponent(line.split(/[=;]/)[1] ?? '').split('.')[0] ?? 'none';
    expect(answer.body).not.toContain(token);
  });

  test('an address is not case-sensitive, a password is', async () => {
    const email = testAdmin.email.toUpperCase();
    expect((await trySignIn(server, { ...testAdmin, email })).status).toBe(200);
    const upper = testAdmin.password.toUpperCase();
    expect((await trySignIn(server, { ...testAdmin, password: upper })).status).toBe(401);
  });

  test('a wrong password and an unknown address are answered alike, and on record without what was typed', async () => {
    const typed = 'typed-by-mistake-in-this-field';
    const wrong = await trySignIn(server, { ...testAdmin, password: `${typed}-1` });
    const stranger = await trySignIn(server, { email: `${typed}@example.com`, password: typed });
    const told = ({ body }: { body: string }) => (JSON.parse(body) as { detail: string }).detail;
    expect([wrong.status, stranger.status]).toEqual([401, 401]);
    expect(told(wrong)).toBe(told(stranger));
    const events = rowsOf(
      server.databaseFile,
      "SELECT subject FROM lock_events WHERE kind = 'sign_in_failed' ORDER BY id DESC LIMIT 2",
    );
    expect(events).toEqual([{ subject: 'an unknown address' }, { subject: testAdmin.email }]);
    const kept = JSON.stringify(dump(server.databaseFile), (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    expect(kept).not.toContain(typed);
    expect(server.log()).not.toContain(typed);
  });

  test('nobody signs up, and no other route of the library is open', async () => {
    const origin = originOf(server);
    const body = { email: newEmail(), password, name: 'Eve', role: 'admin' };
    for (const path of [
      '/sign-up/email',
      '/update-user',
      '/delete-user',
      '/change-email',
      '/set-password',
      '/request-password-reset',
      '/reset-password',
      '/list-sessions',
      '/get-session',
      '/link-social',
      '/sign-in/../sign-up/email',
      '/%73ign-up/email',
      '//sign-up/email',
    ]) {
      const { status } = await post(path, { origin }, body);
      // Next's own door redirects a path with two slashes.
      expect([path, status >= 300]).toEqual([path, true]);
    }
    expect((await trySignIn(server, body)).status).toBe(401);
  });

  test('the cookie that was there before a sign-in is not the session after it', async () => {
    const fixed = 'holdfast.session_token=fixed-by-somebody.signature';
    const answer = await trySignIn(server, testAdmin, { cookie: fixed });
    expect(cookieOf(answer)).not.toContain('fixed-by-somebody');
    const asFixed = createApi(server, { cookie: fixed });
    expect(outcomeOf(await asFixed.call('me'))).toBe('401 unauthenticated');
    const one = await signIn(server);
    const two = cookieOf(await trySignIn(server, testAdmin, { cookie: one.cookie }));
    expect(two).not.toBe(one.cookie);
  });

  test('a session ends with a sign-out, and all of one’s own with a word', async () => {
    const [first, second] = [await signIn(server), await signIn(server)];
    expect((await post('/sign-out', first)).status).toBe(204);
    expect((await createApi(server, first).call('me')).status).toBe(401);
    expect((await createApi(server, second).call('me')).status).toBe(200);
    const member = await addMember(server, admin, { email: newEmail(), role: 'viewer' });
    expect((await post('/revoke-sessions', member.headers)).status).toBe(204);
    expect((await member.api.call('me')).status).toBe(401);
    expect((await createApi(server, second).call('me')).status).toBe(200);
  });

  test('a session ends when its time is over', async () => {
    const short = await startServer({
      door,
      databaseFile: server.databaseFile,
      environment: { HOLDFAST_SESSION_HOURS: '1' },
    });
    const member = await addMember(short, createApi(short, await signIn(short)), {
      email: newEmail(),
      role: 'viewer',
    });
    const me = (await member.api.call('me')).value();
    if (me.kind !== 'person') throw new Error('not a person');
    const leftMs = Date.parse(me.session_expires_at) - Date.now();
    expect(leftMs).toBeGreaterThan(3_500_000);
    expect(leftMs).toBeLessThanOrEqual(3_600_000);
    rowsOf(
      server.databaseFile,
      'UPDATE sessions SET expires_at = 1000 WHERE member_id = ? RETURNING id',
      member.id,
    );
    expect((await member.api.call('me')).status).toBe(401);
    await short.stop();
  });

  test('a link sets the password once; until then nobody signs in', async () => {
    const { email, token, member } = await invite('operator');
    expect([member.state, member.signs_in_by]).toEqual(['invited', []]);
    expect((await trySignIn(server, { email, password })).status).toBe(401);
    const anybody = createApi(server, {});
    const looked = (await anybody.call('lookUpLink', { body: { token } })).value();
    expect(looked).toMatchObject({ kind: 'member', email, role: 'operator' });
    expect((await redeem(token)).value().member).toMatchObject({
      email,
      state: 'active',
      signs_in_by: ['password'],
    });
    expect(outcomeOf(await redeem(token, { password: 'a third password' }))).toBe('404 not-found');
    expect((await trySignIn(server, { email, password })).status).toBe(200);
  });

  test('of ten who open a link at once one sets the password', async () => {
    const { token, email } = await invite();
    const passwords = Array.from({ length: 10 }, (_, index) => `password number ${index}`);
    const answers = await Promise.all(passwords.map((one) => redeem(token, { password: one })));
    const winners = passwords.filter((_, index) => answers[index]?.ok);
    expect(winners).toHaveLength(1);
    expect((await trySignIn(server, { email, password: winners[0] ?? '' })).status).toBe(200);
  });

  test('a link can not make its member more than it says, nor somebody else', async () => {
    const { token, email } = await invite('viewer');
    expect(refusedFields(await redeem(token, { role: 'admin' }))).toEqual(['role']);
    const other = newEmail();
    expect((await redeem(token, { email: other })).value().member).toMatchObject({
      email,
      role: 'viewer',
    });
  });

  test.each(['short', 'eleven char', '', 'x'.repeat(257)])(
    'a password is 12 to 256 characters: %s',
    async (bad) => {
      const { token } = await invite();
      expect(refusedFields(await redeem(token, { password: bad }))).toEqual(['password']);
      expect((await redeem(token)).status).toBe(200);
    },
  );

  test('a new link ends the old one, and with the new password the old sessions', async () => {
    const member = await addMember(server, admin, { email: newEmail(), role: 'viewer' });
    const first = (await admin.call('renewMemberLink', { id: member.id })).value();
    const second = (await admin.call('renewMemberLink', { id: member.id })).value();
    const tokenOf = ({ link }: { link: string }) => new URL(link).hash.slice(1);
    expect(outcomeOf(await redeem(tokenOf(first)))).toBe('404 not-found');
    expect((await member.api.call('me')).status).toBe(200);
    expect((await redeem(tokenOf(second), { password: 'a changed password' })).status).toBe(200);
    expect((await member.api.call('me')).status).toBe(401);
  });

  test('a sign-in by the old password that is under way while a link sets a new one leaves no session', async () => {
    const { email, id, token } = await invite();
    await redeem(token);
    for (let round = 0; round < 3; round += 1) {
      const old = round === 0 ? password : `password number ${round}`;
      const renewed = (await admin.call('renewMemberLink', { id })).value();
      const next = new URL(renewed.link).hash.slice(1);
      const attempts = Array.from({ length: 3 }, () => trySignIn(server, { email, password: old }));
      const changed = await redeem(next, { password: `password number ${round + 1}` });
      expect(changed.status).toBe(200);
      for (const answer of await Promise.all(attempts)) {
        const headers = { cookie: cookieOf(answer), origin: originOf(server) };
        expect((await createApi(server, headers).call('me')).status).toBe(401);
      }
    }
  });

  test('a changed password ends the other sessions, and wants the old password', async () => {
    const email = newEmail();
    const member = await addMember(server, admin, { email, role: 'viewer', password });
    const elsewhere = createApi(server, await signIn(server, { email, password }));
    const next = 'the next long password';
    const fieldsOf = async (body: unknown) => {
      const answer = await post('/change-password', member.headers, body);
      expect(answer.status).toBe(422);
      const { errors } = JSON.parse(answer.body) as { errors: { field: string }[] };
      return errors.map(({ field }) => field);
    };
    const wrong = { currentPassword: 'not the password', newPassword: next };
    expect(await fieldsOf(wrong)).toEqual(['currentPassword']);
    const short = { currentPassword: password, newPassword: 'short' };
    expect(await fieldsOf(short)).toEqual(['newPassword']);
    expect(await fieldsOf({})).toEqual(['currentPassword', 'newPassword']);
    expect((await post('/change-password', { origin: originOf(server) }, short)).status).toBe(401);
    expect((await elsewhere.call('me')).status).toBe(200);
    const right = { currentPassword: password, newPassword: next };
    const changed = await post('/change-password', member.headers, right);
    expect(changed.status).toBe(204);
    expect((await elsewhere.call('me')).status).toBe(401);
    expect((await trySignIn(server, { email, password })).status).toBe(401);
    expect((await trySignIn(server, { email, password: next })).status).toBe(200);
    const own = createApi(server, { cookie: cookieOf(changed), origin: originOf(server) });
    expect((await own.call('me')).status).toBe(200);
  });

  test('a person is told which admins to ask, and how they sign in; a key is not', async () => {
    const member = await addMember(server, admin, { email: newEmail(), role: 'viewer' });
    const colleague = await addMember(server, admin, { email: newEmail(), role: 'admin' });
    const invited = await invite('admin');
    const me = (await member.api.call('me')).value();
    expect(me).toMatchObject({ signs_in_by: ['password'] });
    const colleagueMe = (await colleague.api.call('me')).value();
    if (me.kind !== 'person' || colleagueMe.kind !== 'person') throw new Error('not a person');
    expect(me.admins).toEqual([testAdmin.email, colleagueMe.email]);
    expect(me.admins).not.toContain(invited.email);
    await admin.call('removeMember', { id: colleague.id });
    expect((await member.api.call('me')).value()).toMatchObject({ admins: [testAdmin.email] });
    const key = await createApi(server).call('me');
    expect(key.body).not.toContain('@');
  });

  test('a change of role counts at once', async () => {
    const member = await addMember(server, admin, { email: newEmail(), role: 'viewer' });
    const held = { resource: fresh(), body: { reason: 'a test', ttl_seconds: 60 } };
    expect((await member.api.call('hold', held)).status).toBe(403);
    await admin.call('changeMember', { id: member.id, body: { role: 'operator' } });
    const lock = (await member.api.call('hold', held)).value().lock;
    expect(lock.held_by_operator?.name).toMatch(/@example\.com$/);
    await admin.call('changeMember', { id: member.id, body: { role: 'viewer' } });
    expect((await member.api.call('askRelease', { resource: fresh(), body: {} })).status).toBe(403);
  });

  test('a removed member is signed out at once', async () => {
    const member = await addMember(server, admin, { email: newEmail(), role: 'admin' });
    expect((await member.api.call('listKeys')).status).toBe(200);
    await admin.call('removeMember', { id: member.id });
    expect((await member.api.call('listKeys')).status).toBe(401);
  });

  test('an address belongs to one member', async () => {
    const { email } = await invite();
    const again = await admin.call('inviteMember', { body: { email, role: 'admin' } });
    expect(refusedFields(again)).toEqual(['email']);
  });

  test('the last admin stays, whatever two admins do to each other at once', async () => {
    const own = (await admin.call('me')).value();
    if (own.kind !== 'person') throw new Error('not a person');
    const demote = { id: own.id, body: { role: 'viewer' } };
    expect(outcomeOf(await admin.call('changeMember', demote))).toBe('409 last-admin');
    expect(outcomeOf(await admin.call('removeMember', { id: own.id }))).toBe('409 last-admin');
    await invite('admin');
    expect(outcomeOf(await admin.call('changeMember', demote))).toBe('409 last-admin');

    for (let round = 0; round < 5; round += 1) {
      const other = await addMember(server, admin, { email: newEmail(), role: 'admin' });
      const answers = await Promise.all([
        admin.call('changeMember', { id: other.id, body: { role: 'viewer' } }),
        other.api.call('changeMember', demote),
      ]);
      const outcomes = answers.map(outcomeOf);
      const left = rowsOf(
        server.databaseFile,
        `SELECT id FROM members WHERE role = 'admin' AND id IN (SELECT member_id FROM accounts)`,
      );
      expect([outcomes, left.length]).toEqual([outcomes, 1]);
      if (outcomes[1] === '200') {
        const back = { id: own.id, body: { role: 'admin' } };
        await other.api.call('changeMember', back);
        await admin.call('changeMember', { id: other.id, body: { role: 'viewer' } });
      }
    }
  });
});
