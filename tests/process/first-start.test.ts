import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

import { afterEach, describe, expect, test } from 'vitest';

import { createApi } from '../support/api';
import { bearer, testAdmin } from '../support/callers';
import { signIn, trySignIn } from '../support/people';
import { startProcess, temporaryFolder, whenReady } from '../support/server';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

function newFolder(): string {
  const folder = temporaryFolder();
  cleanUps.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** As on a fresh clone: nothing is given but where the database is to be. */
async function start(folder: string, environment: Record<string, string> = {}) {
  const given = {
    DATABASE_URL: `file:${path.join(folder, 'holdfast.db')}`,
    HOLDFAST_API_KEY: '',
    HOLDFAST_SECRET: '',
  };
  const server = startProcess('npm start', { ...given, ...environment });
  cleanUps.push(() => server.kill('SIGKILL'));
  const url = await whenReady(server);
  return { url, log: () => server.log(), stop: () => server.kill('SIGTERM') };
}

const tokenIn = (log: string) => /\/set-up#(hfl_[\w-]+)/.exec(log)?.[1] ?? null;
const curlIn = (log: string) => /curl (?:.*\\\n)*.*$/m.exec(log)?.[0] ?? '';

describe('the first start', () => {
  test('prints a call that works as it is printed, and no key', async () => {
    const folder = newFolder();
    const { log } = await start(folder);
    const { stdout } = await promisify(execFile)('sh', ['-c', `${curlIn(log())} -s`]);
    expect(JSON.parse(stdout)).toMatchObject({ acquired: true, lock: { client: 'local' } });
    const file = path.join(folder, 'holdfast.first-key');
    const secret = readFileSync(file, 'utf8').trim();
    expect(log()).not.toContain(secret);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(path.join(folder, 'holdfast.secret')).mode & 0o777).toBe(0o600);
  });

  test('leaves the database to its owner alone, whatever the umask', async () => {
    const folder = newFolder();
    const before = process.umask(0o000);
    try {
      const { url } = await start(folder);
      const secret = readFileSync(path.join(folder, 'holdfast.first-key'), 'utf8').trim();
      await createApi({ url }, bearer(secret)).grant('job');
    } finally {
      process.umask(before);
    }
    const modes = readdirSync(folder).map((name) => [
      name,
      (statSync(path.join(folder, name)).mode & 0o777).toString(8),
    ]);
    expect(modes.map(([name]) => name)).toEqual(
      expect.arrayContaining(['holdfast.db', 'holdfast.db-wal', 'holdfast.db-shm']),
    );
    expect(modes).toEqual(modes.map(([name]) => [name, '600']));
  });

  test('prints a link that makes the first admin, once, and never another admin', async () => {
    const folder = newFolder();
    const first = await start(folder);
    const token = tokenIn(first.log()) ?? '';
    const anybody = createApi(first, {});
    const looked = (await anybody.call('lookUpLink', { body: { token } })).value();
    expect(looked).toMatchObject({ kind: 'first-admin', email: null, role: 'admin' });
    const withoutEmail = await anybody.call('redeemLink', {
      body: { token, password: testAdmin.password },
    });
    expect(withoutEmail.status).toBe(422);
    await first.stop();

    // Two links by now: the first of them that is used makes the other void.
    const second = await start(folder);
    const later = tokenIn(second.log()) ?? '';
    expect(later).not.toBe(token);
    const redeem = (which: string, email: string) =>
      createApi(second, {}).call('redeemLink', {
        body: { token: which, email, password: testAdmin.password },
      });
    const answers = await Promise.all([
      redeem(token, testAdmin.email),
      redeem(later, 'eve@example.com'),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
    expect((await redeem(later, 'eve@example.com')).status).toBe(404);
    await second.stop();
    const third = await start(folder);
    expect(tokenIn(third.log())).toBeNull();
  });

  test('takes the admin from the environment, and then prints no link', async () => {
    const folder = newFolder();
    const environment = {
      HOLDFAST_ADMIN_EMAIL: 'Ann@Example.com',
      HOLDFAST_ADMIN_PASSWORD: testAdmin.password,
    };
    const first = await start(folder, environment);
    expect(tokenIn(first.log())).toBeNull();
    expect(first.log()).not.toContain(testAdmin.password);
    const admin = createApi(first, await signIn(first));
    expect((await admin.call('listMembers')).value().members).toMatchObject([
      { email: testAdmin.email, role: 'admin' },
    ]);
    await first.stop();
    // An admin is there: another password in the environment changes nothing.
    const changed = { ...environment, HOLDFAST_ADMIN_PASSWORD: 'another long password' };
    const second = await start(folder, changed);
    expect((await trySignIn(second, testAdmin)).status).toBe(200);
  });

  test('makes one key alone: none once there is another, or an admin', async () => {
    const folder = newFolder();
    const first = await start(folder);
    const file = path.join(folder, 'holdfast.first-key');
    const secret = readFileSync(file, 'utf8').trim();
    await first.stop();
    rmSync(file);
    const second = await start(folder);
    expect(existsSync(file)).toBe(false);
    expect((await createApi(second, bearer(secret)).call('list')).status).toBe(200);
    expect(curlIn(second.log())).toContain('hf_…');
  });

  test('says where the key is when the environment gives it', async () => {
    const { log } = await start(newFolder(), { HOLDFAST_API_KEY: 'k'.repeat(32) });
    expect(curlIn(log())).toContain('$HOLDFAST_API_KEY');
    expect(log()).not.toContain('k'.repeat(32));
  });

  test('a session outlives a restart, and not another secret', async () => {
    const folder = newFolder();
    const environment = {
      HOLDFAST_ADMIN_EMAIL: testAdmin.email,
      HOLDFAST_ADMIN_PASSWORD: testAdmin.password,
    };
    const first = await start(folder, environment);
    const { cookie } = await signIn(first);
    await first.stop();
    const second = await start(folder, environment);
    expect((await createApi(second, { cookie }).call('me')).status).toBe(200);
    await second.stop();
    writeFileSync(path.join(folder, 'holdfast.secret'), 's'.repeat(64));
    const third = await start(folder, environment);
    expect((await createApi(third, { cookie }).call('me')).status).toBe(401);
  });
});
