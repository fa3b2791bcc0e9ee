import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';

import Database from 'better-sqlite3';
import { transform } from 'esbuild';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

import { createApi, type Api } from '../support/api';
import { fresh } from '../support/both-doors';
import { testKey } from '../support/callers';
import { createDatabase } from '../support/postgres-cluster';
import { startServer, temporaryFolder, type TestServer } from '../support/server';

const root = path.join(import.meta.dirname, '../..');
const run = promisify(execFile);
let server: TestServer;
let api: Api;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  server = await startServer();
  api = createApi(server);
  env = { ...process.env, HOLDFAST_URL: server.url, HOLDFAST_API_KEY: testKey };
});
afterAll(() => server.stop());

/** What has happened to a lock, oldest first. */
async function kinds(resource: string): Promise<string[]> {
  const { events } = (await api.call('lockEvents', { resource })).value();
  return events.map(({ kind }) => kind).reverse();
}

test('a voucher that eight processes redeem at once is paid for once', async () => {
  const { stdout } = await run(process.execPath, ['examples/voucher/voucher.mjs'], {
    cwd: root,
    env,
  });
  expect(stdout).toMatch(/was paid for 1 times/);
  expect(stdout.match(/refused/g)).toHaveLength(7);
});

test('the Python recipe holds through its TTL, sends its token, and releases', async () => {
  const resource = fresh('python/lock');
  const program = `
import os, time
from holdfast_lock import lock
with lock(os.environ["HOLDFAST_URL"], os.environ["HOLDFAST_API_KEY"], ${JSON.stringify(resource)}, 1) as lease:
    time.sleep(1.8)
    print(lease.is_held(), lease.fencing_token)
`;
  const cwd = path.join(root, 'examples/python');
  const { stdout } = await run('python3', ['-c', program], {
    cwd,
    env: { ...env, PYTHONDONTWRITEBYTECODE: '1' },
  });
  expect(stdout).toMatch(/^True \d+\n$/);
  expect(await kinds(resource)).toEqual(expect.arrayContaining(['acquired', 'released']));
});

describe('the fenced write of the guide', () => {
  const create =
    'CREATE TABLE reports (id TEXT PRIMARY KEY, body TEXT, fence BIGINT NOT NULL DEFAULT 0)';

  test('on SQLite takes the later lease, and refuses the earlier one', () => {
    const database = new Database(':memory:');
    database.exec(create);
    database.exec("INSERT INTO reports VALUES ('may', '', 0)");
    const write = database.prepare(
      'UPDATE reports SET body = ?, fence = ? WHERE id = ? AND fence <= ?',
    );
    expect(write.run('new', 8, 'may', 8).changes).toBe(1);
    expect(write.run('again', 8, 'may', 8).changes).toBe(1);
    expect(write.run('old', 7, 'may', 7).changes).toBe(0);
    expect(database.prepare('SELECT body FROM reports').pluck().get()).toBe('again');
  });

  test('on PostgreSQL does so also when the two are written at the same moment', async () => {
    const url = await createDatabase(inject('postgresUrl'));
    const clients = [new pg.Client(url), new pg.Client(url)] as const;
    for (const client of clients) await client.connect();
    const [first, second] = clients;
    await first.query(create);
    await first.query("INSERT INTO reports VALUES ('may', '', 0)");
    const text = 'UPDATE reports SET body = $1, fence = $2 WHERE id = $3 AND fence <= $2';
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
  test('works from its tarball in an empty project: import, types, command', async () => {
    const folder = temporaryFolder();
    const packed = path.join(folder, 'client');
    cpSync(path.join(root, 'client'), packed, { recursive: true });
    const quiet = { cwd: folder, encoding: 'utf8', stdio: 'pipe' } as const;
    const [{ filename }] = JSON.parse(
      execFileSync('npm', ['pack', './client', '--json'], quiet),
    ) as [{ filename: string }];
    const project = path.join(folder, 'project');
    mkdirSync(project);
    writeFileSync(path.join(project, 'package.json'), '{"type":"module","private":true}');
    const install = [
      'install',
      '--offline',
      '--no-audit',
      '--no-fund',
      path.join(folder, filename),
    ];
    execFileSync('npm', install, { ...quiet, cwd: project });

    const resource = fresh();
    const source = `
import { createClient, type Lease } from '@holdfast/client';
declare const process: { env: Record<string, string> };
const { HOLDFAST_URL: url = '', HOLDFAST_API_KEY: apiKey } = process.env;
const holdfast = createClient({ url, apiKey });
let kept: Lease;
{
  await using lease = await holdfast.acquire('${resource}', { ttlMs: 5_000 });
  kept = lease;
}
console.log(kept.isHeld, kept.fencingToken > 0, await holdfast.inspect('${resource}'));
`;
    writeFileSync(path.join(project, 'main.ts'), source);
    const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
    const strict = ['--strict', '--target', 'es2022', '--module', 'nodenext'];
    const lib = ['--lib', 'es2023,dom,dom.iterable,dom.asynciterable,esnext.disposable'];
    await run(process.execPath, [tsc, ...strict, ...lib, 'main.ts'], { cwd: project });
    const { stdout } = await run(process.execPath, ['main.js'], { cwd: project, env });
    expect(stdout).toBe('false true undefined\n');
    const { stdout: version } = await run('node_modules/.bin/holdfast', ['--version'], {
      cwd: project,
    });
    expect(version).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

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
