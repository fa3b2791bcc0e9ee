import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { closeSync, existsSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { afterEach, describe, expect, test } from 'vitest';

import { createApi } from '../support/api';
import { fresh } from '../support/both-doors';
import { testKey } from '../support/callers';
import { rowsOf } from '../support/database';
import { createRandom } from '../support/random';
import {
  startProcess,
  startServer,
  temporaryFolder,
  whenReady,
  type ServerProcess,
} from '../support/server';
import { deadline, poll } from '../support/waiting';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

function newFile(name = 'holdfast.db'): string {
  const folder = temporaryFolder();
  cleanUps.push(() => rmSync(folder, { recursive: true, force: true }));
  return path.join(folder, name);
}

function start(door: 'npm start' | 'next start', environment: Record<string, string>) {
  const started = startProcess(door, environment);
  cleanUps.push(() => started.kill('SIGKILL'));
  return started;
}

describe('stopping', () => {
  test('SIGTERM lets a call under way finish, takes no new ones, and ends the process', async () => {
    const server = await startServer();
    cleanUps.push(() => server.stop());
    const resource = fresh();
    const body = JSON.stringify({ owner: 'owner', ttl_ms: 60_000 });
    const call = await callUnderWay(server.url, resource, body);
    const ended = server.kill('SIGTERM');
    await poll(async () => ((await isRefused(server.url)) ? true : null), {
      withinMs: 20_000,
      describe: () => 'the server still takes new connections',
    });
    call.finish();
    expect(await call.answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*"acquired":true/);
    expect(await ended).toEqual({ code: 0, signal: null });
    await server.restart();
    const lock = (await createApi(server).call('inspect', { resource })).value().lock;
    expect(lock.owner).toBe('owner');
  });

  test('SIGTERM ends a server whose callers never pause', async () => {
    const server = await startServer();
    cleanUps.push(() => server.stop());
    const api = createApi(server);
    let isStopped = false;
    let grants = 0;
    const callers = Array.from({ length: 8 }, async () => {
      while (!isStopped) {
        try {
          await api.grant(fresh());
          grants += 1;
        } catch {
          isStopped = true;
        }
      }
    });
    await poll(() => (grants > 100 ? true : null), {
      withinMs: 20_000,
      describe: () => `only ${grants} grants`,
    });
    expect(await server.kill('SIGTERM')).toEqual({ code: 0, signal: null });
    isStopped = true;
    await Promise.all(callers);
  });

  test('SIGTERM cuts off who is still sending a body when the others have been answered', async () => {
    const server = await startServer();
    cleanUps.push(() => server.stop());
    const call = await callUnderWay(server.url, fresh(), '{}');
    expect(await server.kill('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(await call.answer).toBe('');
  });

  test('a signal to npm alone, which npm passes on to its shell only, ends the server too', async () => {
    const npm = spawn('npm', ['start'], {
      cwd: path.join(import.meta.dirname, '../..'),
      env: { ...process.env, PORT: '0', DATABASE_URL: `file:${newFile()}` },
    });
    let log = '';
    npm.stdout.on('data', (chunk: Buffer) => (log += chunk.toString()));
    cleanUps.push(() => npm.kill('SIGKILL'));
    const url = await poll(() => /ready at (http:\S+)/.exec(log)?.[1] ?? null, {
      withinMs: 60_000,
      describe: () => `it did not start:\n${log}`,
    });
    npm.kill('SIGTERM');
    await poll(async () => ((await isRefused(url)) ? true : null), {
      withinMs: 20_000,
      describe: () => 'the server still takes connections',
    });
  });

  test('SIGTERM ends an idle server, keep-alive connections and all', async () => {
    const server = await startServer();
    cleanUps.push(() => server.stop());
    await createApi(server).grant(fresh());
    expect(await server.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  });
});

describe('starting', () => {
  test('two servers at once on an empty database both come up, and give each token once', async () => {
    for (let round = 0; round < 3; round += 1) {
      const databaseFile = newFile();
      const environment = { DATABASE_URL: `file:${databaseFile}` };
      const pair = [start('npm start', environment), start('npm start', environment)];
      const urls = await Promise.all(pair.map(whenReady));
      const locks = await Promise.all(urls.map((url) => createApi({ url }).grant(fresh())));
      expect(new Set(locks.map((lock) => lock.fencing_token)).size).toBe(2);
      const applied = rowsOf(databaseFile, 'SELECT migration_name FROM _prisma_migrations') as {
        migration_name: string;
      }[];
      const names = applied.map((row) => row.migration_name);
      expect(new Set(names).size).toBe(names.length);
      for (const server of pair) await server.kill('SIGKILL');
    }
  });

  test('a server killed while it migrates leaves a file that the next one brings up', async () => {
    const random = createRandom('killed migrations');
    for (let round = 0; round < 10; round += 1) {
      const databaseFile = newFile();
      const environment = { DATABASE_URL: `file:${databaseFile}` };
      const killed = start('npm start', environment);
      await poll(() => (existsSync(databaseFile) ? true : null), {
        withinMs: 30_000,
        everyMs: 1,
        describe: () => `there is no database:\n${killed.log()}`,
      });
      // The moment is the point of the test: from the first byte of the file on.
      await delay(random.between(0, 30));
      await killed.kill('SIGKILL');
      const next = start('npm start', environment);
      const lock = await createApi({ url: await whenReady(next) }).grant(fresh());
      expect(lock.fencing_token).toBe(1);
      await next.kill('SIGKILL');
      expect(rowsOf(databaseFile, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    }
  });

  test('a folder that is not there yet is made', async () => {
    const databaseFile = newFile('a/b/c/holdfast.db');
    const url = await whenReady(start('npm start', { DATABASE_URL: `file:${databaseFile}` }));
    await createApi({ url }).grant(fresh());
  });

  test.each([
    ['HOST', { HOST: '10.0.0.7' }],
    ['HOST', { HOST: 'no-such-host.invalid' }],
    ['HOST', { HOST: 'not an address' }],
    ['PORT', { PORT: 'http' }],
    ['PORT', { PORT: '70000' }],
    ['PORT', { PORT: '-1' }],
    ['DATABASE_URL', { DATABASE_URL: 'mysql://localhost/locks' }],
    ['DATABASE_URL', { DATABASE_URL: 'file:' }],
    ['DATABASE_URL', { DATABASE_URL: './data/holdfast.db' }],
    ['DATABASE_URL', { DATABASE_URL: 'file:/dev/null/holdfast.db' }],
    ['DATABASE_URL', { DATABASE_URL: 'file:/dev' }],
    ['HOLDFAST_MAX_TTL_SECONDS', { HOLDFAST_MAX_TTL_SECONDS: '0' }],
    ['HOLDFAST_LOG_LEVEL', { HOLDFAST_LOG_LEVEL: 'loud' }],
    ['HOLDFAST_API_KEY', { HOLDFAST_API_KEY: 'x'.repeat(31) }],
    ['HOLDFAST_SECRET', { HOLDFAST_SECRET: 'x'.repeat(31) }],
    ['HOLDFAST_PUBLIC_URL', { HOLDFAST_PUBLIC_URL: 'locks.example.com' }],
    ['HOLDFAST_PUBLIC_URL', { HOLDFAST_PUBLIC_URL: 'https://example.com/locks' }],
    ['HOLDFAST_TRUSTED_PROXIES', { HOLDFAST_TRUSTED_PROXIES: '10.0.0.0/33' }],
    ['HOLDFAST_ADMIN_EMAIL', { HOLDFAST_ADMIN_EMAIL: 'ann@example.com' }],
    ['HOLDFAST_OIDC_ISSUER', { HOLDFAST_OIDC_ISSUER: 'https://id.example.com' }],
  ])('a wrong %s stops the start with a sentence that names it: %o', async (name, wrong) => {
    const server = start('npm start', { DATABASE_URL: `file:${newFile()}`, ...wrong });
    await expectRefusal(server, name);
  });

  test('all wrong variables are named at once', async () => {
    const server = start('npm start', { DATABASE_URL: 'x', HOST: 'not an address', PORT: 'z' });
    await expectRefusal(server, 'HOST');
    for (const name of ['DATABASE_URL', 'PORT']) expect(server.log()).toContain(`${name} must be`);
  });

  test('a file that is no database stops the start, and is left as it was', async () => {
    const databaseFile = newFile();
    writeFileSync(databaseFile, 'not a database, but somebody’s letter. '.repeat(100));
    await expectRefusal(
      start('npm start', { DATABASE_URL: `file:${databaseFile}` }),
      'DATABASE_URL',
    );
  });

  test('a damaged lock table stops the start with a sentence that says so', async () => {
    const databaseFile = newFile();
    const first = start('npm start', { DATABASE_URL: `file:${databaseFile}` });
    const api = createApi({ url: await whenReady(first) });
    for (let count = 0; count < 50; count += 1) await api.grant(fresh());
    await first.kill('SIGTERM');
    damage(databaseFile, 'distributed_locks');
    const server = start('npm start', { DATABASE_URL: `file:${databaseFile}` });
    await expectRefusal(server, 'DATABASE_URL');
    expect(server.log()).toContain('distributed_locks is damaged');
  });

  test('a port that is taken stops the start with a sentence that names PORT', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    cleanUps.push(() => void other.close());
    const PORT = String(portOf(other.address()));
    await expectRefusal(start('npm start', { DATABASE_URL: `file:${newFile()}`, PORT }), 'PORT');
  });

  test('an empty variable means the same as none', async () => {
    const environment = {
      DATABASE_URL: `file:${newFile()}`,
      HOST: '',
      HOLDFAST_MAX_TTL_SECONDS: '',
    };
    expect(await whenReady(start('npm start', environment))).toContain('127.0.0.1');
  });

  test('the longest TTL is the one that the environment sets', async () => {
    const server = await startServer({ environment: { HOLDFAST_MAX_TTL_SECONDS: '10' } });
    cleanUps.push(() => server.stop());
    const api = createApi(server);
    const acquire = (ttl_seconds: number) =>
      api.call('acquire', { resource: fresh(), body: { owner: 'owner', ttl_seconds } });
    expect((await acquire(10)).status).toBe(200);
    expect((await acquire(11)).problem().detail).toContain('10');
  });
});

async function expectRefusal(server: ServerProcess, variable: string): Promise<void> {
  const { code } = await deadline(server.ended, 30_000, () => `it still runs:\n${server.log()}`);
  expect(code).toBe(1);
  expect(server.log()).toMatch(
    new RegExp(`^Holdfast does not start:\\n(?:.*\\n)*${variable} \\w`, 'm'),
  );
  expect(server.log()).not.toMatch(/^\s+at /m);
}

/** Overwrites the middle of a table's first page, as a failing disk would. */
function damage(databaseFile: string, table: string): void {
  const [row] = rowsOf(
    databaseFile,
    `SELECT rootpage, (SELECT page_size FROM pragma_page_size) AS size FROM sqlite_schema WHERE name = '${table}'`,
  ) as { rootpage: number; size: number }[];
  if (row === undefined) throw new Error(`There is no table ${table}`);
  const file = openSync(databaseFile, 'r+');
  writeSync(file, Buffer.alloc(row.size / 2, 0xa5), 0, row.size / 2, (row.rootpage - 1) * row.size);
  closeSync(file);
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('It does not listen');
  return address.port;
}

interface CallUnderWay {
  /** Sends the body that the server is waiting for. */
  finish(): void;
  readonly answer: Promise<string>;
}

/** Resolves when the server has the headers and asks for the body: from then on the call is under way. */
function callUnderWay(url: string, resource: string, body: string): Promise<CallUnderWay> {
  const { hostname, port, host } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    let received = '';
    const answer = new Promise<string>((done) => {
      socket.once('close', () => done(received.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '')));
    });
    socket.once('error', reject);
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString();
      if (received.includes('100 Continue')) resolve({ finish: () => socket.write(body), answer });
    });
    socket.write(
      [
        `POST /api/locks/${resource} HTTP/1.1`,
        `Host: ${host}`,
        `Authorization: Bearer ${testKey}`,
        'Content-Type: application/json',
        `Content-Length: ${Buffer.byteLength(body)}`,
        'Expect: 100-continue',
        '\r\n',
      ].join('\r\n'),
    );
  });
}

function isRefused(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', () => resolve(true));
  });
}
