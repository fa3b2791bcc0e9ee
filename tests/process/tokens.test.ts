import { spawn } from 'node:child_process';
import path from 'node:path';

import { describe, expect, inject, test } from 'vitest';

import { createApi, type Api } from '../support/api';
import { fresh } from '../support/both-doors';
import { change, rowsOf } from '../support/database';
import { createDatabase, query } from '../support/postgres-cluster';
import { startServer, temporaryFolder, type TestServer } from '../support/server';

const tokenMax = 9_007_199_254_740_991;
const script = path.join(import.meta.dirname, '../../dist/tokens.mjs');

interface Told {
  readonly code: number | null;
  readonly text: string;
}

/** Runs the command as it is run in a container: from the build, with nothing but the database's address. */
function tokens(url: string, ...args: string[]): Promise<Told> {
  const env = { NODE_ENV: 'production' as const, DATABASE_URL: url };
  const child = spawn(process.execPath, [script, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, text })));
}

interface Database {
  readonly name: string;
  open(): Promise<{ server: TestServer; url: string }>;
  counter(url: string): Promise<number>;
  set(url: string, value: number): Promise<void>;
}

const fileOf = (url: string) => url.slice('file:'.length);

const databases: readonly Database[] = [
  {
    name: 'SQLite',
    async open() {
      const server = await startServer();
      return { server, url: `file:${server.databaseFile}` };
    },
    counter(url) {
      const [row] = rowsOf(fileOf(url), 'SELECT value FROM fencing_counter') as { value: number }[];
      return Promise.resolve(row?.value ?? NaN);
    },
    set(url, value) {
      change(fileOf(url), 'UPDATE fencing_counter SET value = ?', value);
      return Promise.resolve();
    },
  },
  {
    name: 'PostgreSQL',
    async open() {
      const url = await createDatabase(inject('postgresUrl'));
      return { server: await startServer({ environment: { DATABASE_URL: url } }), url };
    },
    async counter(url) {
      const sql = `SELECT (last_value - CASE WHEN is_called THEN 0 ELSE 1 END)::text AS value FROM fencing_tokens`;
      return Number((await query(url, sql))[0]?.['value']);
    },
    async set(url, value) {
      await query(url, `SELECT setval('fencing_tokens', $1)`, [value]);
    },
  },
];

describe.each(databases)('the token counter in $name', (database) => {
  async function opened(use: (api: Api, url: string) => Promise<void>): Promise<void> {
    const { server, url } = await database.open();
    try {
      await use(createApi(server), url);
    } finally {
      await server.stop();
    }
  }

  test('is shown, and raised only when that is confirmed', () =>
    opened(async (api, url) => {
      expect(await tokens(url, 'show')).toEqual({
        code: 0,
        text: 'The last token that was drawn is 0.\n',
      });
      const { fencing_token: token } = await api.grant(fresh());
      const previewed = await tokens(url, 'raise', '--by', '1000');
      expect(previewed.code).toBe(2);
      expect(previewed.text).toContain(`stands at ${token} and would be raised to ${token + 1000}`);
      expect(await database.counter(url)).toBe(token);
      const raised = await tokens(url, 'raise', '--by', '1000', '--yes');
      expect(raised.code).toBe(0);
      expect(raised.text).toContain(`from ${token} to ${token + 1000}`);
      expect((await api.grant(fresh())).fencing_token).toBe(token + 1001);
    }));

  test('is never lowered, also when that is asked for', () =>
    opened(async (api, url) => {
      await database.set(url, 5_000);
      const kept = await tokens(url, 'raise', '--to', '4999', '--yes');
      expect(kept.code).toBe(0);
      expect(kept.text).toContain('stands at 5000 already');
      expect((await api.grant(fresh())).fencing_token).toBe(5_001);
    }));

  test('goes up to 2^53 − 1 and not past it', () =>
    opened(async (_, url) => {
      await database.set(url, 10);
      const past = await tokens(url, 'raise', '--by', String(tokenMax - 9), '--yes');
      expect(past.code).toBe(1);
      expect(past.text).toContain(`may not pass ${tokenMax}`);
      expect(await database.counter(url)).toBe(10);
      expect((await tokens(url, 'raise', '--by', String(tokenMax - 10), '--yes')).code).toBe(0);
      expect(await database.counter(url)).toBe(tokenMax);
    }));

  test('loses no raise and repeats no token while many are granted and several raise it', () =>
    opened(async (api, url) => {
      const seen: number[] = [];
      let isOver = false;
      const workers = Array.from({ length: 8 }, async () => {
        while (!isOver) seen.push((await api.grant(fresh())).fencing_token);
      });
      const raises = await Promise.all(
        Array.from({ length: 5 }, () => tokens(url, 'raise', '--by', '1000000', '--yes')),
      );
      isOver = true;
      await Promise.all(workers);
      expect(raises.map(({ code, text }) => (code === 0 ? code : text))).toEqual([0, 0, 0, 0, 0]);
      const tokensSeen = new Set(seen);
      expect(tokensSeen.size).toBe(seen.length);
      expect(await database.counter(url)).toBe(5_000_000 + seen.length);
      expect((await api.grant(fresh())).fencing_token).toBe(5_000_001 + seen.length);
    }));
});

describe('the command of the token counter', () => {
  test.each([
    [[], 'Say show or raise.'],
    [['lower', '--by', '1'], 'Say show or raise.'],
    [['raise'], 'Say either --by or --to.'],
    [['raise', '--by', '1', '--to', '2'], 'Say either --by or --to.'],
    [['raise', '--by', '-1'], '--by'],
    [['raise', '--by', '1e3'], '--by must be a whole number'],
    [['raise', '--to', '9007199254740992'], '--to must be a whole number'],
    [['raise', '--by', '1', '--force'], '--force'],
    [['show', 'all'], 'all'],
  ])('refuses %j', async (args, told) => {
    const answer = await tokens('file:/nowhere/holdfast.db', ...args);
    expect(answer).toMatchObject({ code: 1 });
    expect(answer.text).toContain(told);
  });

  test('makes no database, and tells no password', async () => {
    const missing = path.join(temporaryFolder(), 'none.db');
    const answer = await tokens(`file:${missing}`, 'raise', '--by', '1', '--yes');
    expect(answer.code).toBe(1);
    expect(answer.text).toContain(`there is no file ${missing}`);
    const admin = new URL(inject('postgresUrl'));
    const wrong = `postgresql://holdfast:s3cret-word@${admin.host}/no_such_database`;
    const refused = await tokens(wrong, 'show');
    expect(refused.code).toBe(1);
    expect(refused.text).toContain('no_such_database');
    expect(refused.text).not.toContain('s3cret-word');
  });

  test('is no help to a role that does not own the tables', async () => {
    const url = await createDatabase(inject('postgresUrl'));
    const server = await startServer({ environment: { DATABASE_URL: url } });
    await server.stop();
    const role = fresh('role').replaceAll(/\W/g, '_');
    await query(url, `CREATE ROLE ${role} LOGIN`);
    await query(url, `GRANT SELECT, UPDATE, USAGE ON SEQUENCE fencing_tokens TO ${role}`);
    const asRole = new URL(url);
    asRole.username = role;
    const answer = await tokens(asRole.href, 'raise', '--by', '1', '--yes');
    expect(answer.code).toBe(1);
    expect(answer.text).toContain('must be owner');
  });
});
