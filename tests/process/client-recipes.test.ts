import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';

import Database from 'better-sqlite3';
import { transform } from 'esbuild';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

import { installPacked } from '../client/packed';
import { fresh } from '../support/both-doors';
import { testKey } from '../support/callers';
import { createDatabase } from '../support/postgres-cluster';
import { startServer, type TestServer } from '../support/server';

const root = path.join(import.meta.dirname, '../..');
const run = promisify(execFile);
let server: TestServer;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  server = await startServer();
  env = { ...process.env, HOLDFAST_URL: server.url, HOLDFAST_API_KEY: testKey };
});
afterAll(() => server.stop());

test('a voucher that eight processes redeem at once is paid for once', async () => {
  const { stdout } = await run(process.execPath, ['examples/voucher/voucher.mjs'], {
    cwd: root,
    env,
  });
  expect(stdout).toMatch(/was paid for 1 times/);
  expect(stdout.match(/refused/g)).toHaveLength(7);
});

describe('the fenced write of the guide', () => {
  const create =
    'CREATE TABLE reports (id TEXT PRIMARY KEY, body TEXT, fence BIGINT NOT NULL DEFAULT 0)';

  const guide = readFileSync(path.join(root, 'docs/client.md'), 'utf8');
  const [, text = ''] = /```sql\n(.*?)\n```/s.exec(guide) ?? [];

  test('on SQLite takes the later lease, and refuses the earlier one', () => {
    const database = new Database(':memory:');
    database.exec(create);
    database.exec("INSERT INTO reports VALUES ('may', '', 0)");
    const statement = database.prepare(text.replaceAll('$', '?'));
    const write = (body: string, token: number) =>
      statement.run({ 1: body, 2: token, 3: 'may' }).changes;
    expect(write('new', 8)).toBe(1);
    expect(write('again', 8)).toBe(1);
    expect(write('old', 7)).toBe(0);
    expect(database.prepare('SELECT body FROM reports').pluck().get()).toBe('again');
  });

  test('on PostgreSQL does so also when the two are written at the same moment', async () => {
    const url = await createDatabase(inject('postgresUrl'));
    const clients = [new pg.Client(url), new pg.Client(url)] as const;
    for (const client of clients) await client.connect();
    const [first, second] = clients;
    await first.query(create);
    await first.query("INSERT INTO reports VALUES ('may', '', 0)");
    await first.query('BEGIN');
    expect((await first.query(text, ['new', 8, 'may'])).rowCount).toBe(1);
    const late = second.query(text, ['old', 7, 'may']);
    await first.query('COMMIT');
    // It waited for the row, and is judged by what was committed.
    expect((await late).rowCount).toBe(0);
    for (const client of clients) await client.end();
  });
});

describe('the package', () => {
  test('works from its tarball in an empty project: import and command', async () => {
    const project = await installPacked();
    const resource = fresh();
    const source = `
import { createClient } from '@holdfast/client';
const holdfast = createClient({ url: process.env.HOLDFAST_URL, apiKey: process.env.HOLDFAST_API_KEY });
const lease = await holdfast.acquire('${resource}', { ttlMs: 5_000 });
await lease.release();
console.log(lease.isHeld, lease.fencingToken > 0, await holdfast.inspect('${resource}'));
`;
    writeFileSync(path.join(project, 'main.js'), source);
    const { stdout } = await run(process.execPath, ['main.js'], { cwd: project, env });
    expect(stdout).toBe('false true undefined\n');
    const { stdout: version } = await run('node_modules/.bin/holdfast', ['--version'], {
      cwd: project,
    });
    expect(version).toMatch(/^\d+\.\d+\.\d+\n$/);
    const installed = readFileSync(path.join(project, 'package-lock.json'), 'utf8');
    expect(Object.keys((JSON.parse(installed) as { packages: object }).packages)).toEqual([
      '',
      'node_modules/@holdfast/client',
    ]);
  });

  test.each(['bundler', 'node16', 'nodenext'])(
    'has types under %s, without those of Node',
    async (resolution) => {
      const project = await installPacked();
      const source = `
import { createClient, type Lease, type Lock } from '@holdfast/client';
const holdfast = createClient({ url: 'http://127.0.0.1:3000' });
export async function work(): Promise<number> {
  await using lease: Lease = await holdfast.acquire('job', { ttlMs: 5_000, waitMs: 0 });
  const lock: Lock = holdfast.lock('job');
  // @ts-expect-error A wait is a number.
  await lock.acquire('5s');
  return lease.fencingToken;
}
`;
      writeFileSync(path.join(project, 'main.ts'), source);
      const module = resolution === 'bundler' ? 'esnext' : resolution;
      // No skipLibCheck: what the package declares must stand by itself.
      const strict = ['--strict', '--noEmit', '--target', 'es2022'];
      const how = ['--module', module, '--moduleResolution', resolution];
      const lib = ['--lib', 'es2022,dom,esnext.disposable'];
      const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
      const { stdout } = await run(process.execPath, [tsc, ...strict, ...how, ...lib, 'main.ts'], {
        cwd: project,
      }).catch((error: unknown) => error as { stdout: string });
      expect(stdout).toBe('');
    },
  );

  test.each(['index.js', 'node.js'])('is under 6 kB compressed: %s', async (name) => {
    const text = readFileSync(path.join(root, 'client/dist', name), 'utf8');
    const { code } = await transform(text, { minify: true, format: 'esm' });
    expect(gzipSync(code, { level: 9 }).length).toBeLessThan(6_000);
  });

  test('imports nothing of Node in its core', () => {
    const text = readFileSync(path.join(root, 'client/dist/index.js'), 'utf8');
    expect(text).not.toMatch(/^import /m);
    expect(text).not.toMatch(/\bprocess\b|\bBuffer\b/);
  });
});
