import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

import { createApi, type Api } from '../support/api';
import { fresh } from '../support/both-doors';
import { adminEnvironment, bearer } from '../support/callers';
import { addMember, signIn } from '../support/people';
import { createDatabase, query } from '../support/postgres-cluster';
import { startServer, type TestServer } from '../support/server';

/** How far the database's clock may be from the test's, on one machine. */
const slackMs = 60_000;

/** A fixed zone, and one whose summer time skips an hour and has another twice. */
describe.each(['Asia/Kolkata', 'America/New_York'])(
  'keys and people in a database that writes dates as SQL, DMY in %s',
  (timezone) => {
    let url: string;
    let server: TestServer;
    let admin: Api;
    beforeAll(async () => {
      url = await createDatabase(inject('postgresUrl'));
      const name = new URL(url).pathname.slice(1);
      await query(url, `ALTER DATABASE ${name} SET datestyle = 'SQL, DMY'`);
      await query(url, `ALTER DATABASE ${name} SET timezone = '${timezone}'`);
      server = await startServer({ environment: { ...adminEnvironment, DATABASE_URL: url } });
      admin = createApi(server, await signIn(server));
    });
    afterAll(() => server.stop());

    async function newKey(expiresAt: string) {
      const wanted = { client: 'billing', scopes: ['acquire', 'read'], patterns: ['*'] };
      const body = { name: fresh('key'), ...wanted, expires_at: expiresAt };
      return (await admin.call('createKey', { body })).value();
    }

    test('the end of a key is told as it was given, and kept as that moment', async () => {
      // The hour that New York skips, if it is read there.
      const expiresAt = '2099-03-08T02:30:00.123Z';
      const { key, secret } = await newKey(expiresAt);
      expect(key.expires_at).toBe(expiresAt);
      const listed = (await admin.call('listKeys')).value().keys;
      expect(listed.find(({ id }) => id === key.id)?.expires_at).toBe(expiresAt);
      const [kept] = await query(
        url,
        `SELECT extract(epoch FROM expires_at)::text AS at FROM api_keys WHERE id = $1`,
        [key.id],
      );
      expect(Number(kept?.['at']) * 1000).toBe(Date.parse(expiresAt));
      await createApi(server, bearer(secret)).grant(fresh());
    });

    test('a key ends when its time has come', async () => {
      const { secret } = await newKey(new Date(Date.now() + 2_500).toISOString());
      const status = async () => (await createApi(server, bearer(secret)).call('list')).status;
      expect(await status()).toBe(200);
      await expect.poll(status, { timeout: 10_000, interval: 100 }).toBe(401);
    });

    test('members come by their link, sign in, and are listed', async () => {
      const email = `${fresh('member').replaceAll(/\W/g, '')}@example.com`;
      const member = await addMember(server, admin, { email, role: 'viewer' });
      expect((await member.api.call('me')).value()).toMatchObject({ kind: 'person', email });
      const listed = (await admin.call('listMembers')).value().members;
      expect(listed.map((each) => each.email)).toContain(email);
    });

    test('what was done is on record at the time when it was done', async () => {
      const startMs = Date.now();
      await newKey('2099-01-01T00:00:00.000Z');
      const rows = await query(
        url,
        `SELECT extract(epoch FROM at)::text AS at FROM lock_events
          WHERE kind IN ('key_created', 'signed_in') ORDER BY id DESC LIMIT 2`,
      );
      expect(rows).toHaveLength(2);
      for (const row of rows) {
        expect(Math.abs(Number(row['at']) * 1000 - startMs)).toBeLessThan(slackMs);
      }
    });
  },
);
