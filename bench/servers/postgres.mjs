// A PostgreSQL with its defaults, whose commits are durable, from the binaries that npm brings.
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { build } from 'esbuild';
import pg from 'pg';

import { endsWithUs } from './processes.mjs';

/** @returns its address, the `pid` of its first process, and `stop()`. */
export async function startDatabase({ root, folder }) {
  const { startPostgres } = await importTypeScript(root, 'tests/support/postgres-cluster.ts');
  const cluster = await startPostgres({ folder });
  const url = await cluster.createDatabase();
  const pid = await parentOfSession(url);
  const hasEnded = endsWithUs(pid);
  return { url, pid, stop: () => cluster.remove().then(hasEnded) };
}

export async function makePlainTable(url) {
  await query(
    url,
    `CREATE TABLE plain_locks (resource text PRIMARY KEY, owner text NOT NULL, acquired_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL)`,
  );
}

export async function countPlainLocks(url, prefix) {
  const sql = `SELECT count(*)::int AS rows FROM plain_locks WHERE starts_with(resource, $1)`;
  return (await query(url, sql, [prefix]))[0].rows;
}

/** All sessions are children of the process that accepts them. */
async function parentOfSession(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
  const status = readFileSync(`/proc/${rows[0].pid}/status`, 'utf8');
  await client.end();
  return Number(/^PPid:\s*(\d+)$/m.exec(status)[1]);
}

async function query(url, sql, values = []) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql, values)).rows;
  } finally {
    await client.end();
  }
}

/** The tests' own way of starting a server, which is TypeScript: bundled beside the packages that it imports. */
async function importTypeScript(root, file) {
  const outfile = path.join(root, 'node_modules/.cache', `bench-${process.pid}.mjs`);
  await build({
    absWorkingDir: root,
    entryPoints: [file],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'warning',
  });
  try {
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(outfile, { force: true });
  }
}
