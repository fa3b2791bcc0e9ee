// `npm run bench:reads`: how long every list, filter, history and statistic takes with a long history and many locks, on
// each database. It asserts nothing about speed, and fails if a call was not answered with 200.
import { mkdirSync, mkdtempSync, rmSync, chmodSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { makeKey, startHoldfast } from '../servers/holdfast.mjs';
import { startDatabase } from '../servers/postgres.mjs';
import { allCalls } from './calls.mjs';
import { fillPostgres, fillSqlite } from './fill.mjs';

const root = path.join(import.meta.dirname, '../..');
const { values: options } = parseArgs({
  options: {
    locks: { type: 'string', default: '100000' },
    events: { type: 'string', default: '1000000' },
    samples: { type: 'string', default: '40' },
    only: { type: 'string', default: '' },
    databases: { type: 'string', default: 'sqlite,postgresql' },
    dir: { type: 'string', default: path.join(root, 'data') },
  },
});
const sizes = { locks: Number(options.locks), events: Number(options.events) };
const samples = Number(options.samples);
const databases = options.databases.split(',');
const known = { sqlite: onSqlite, postgresql: onPostgres };

mkdirSync(options.dir, { recursive: true });
const folder = mkdtempSync(path.join(options.dir, 'bench-reads-'));
// PostgreSQL runs as another user.
chmodSync(folder, 0o755);
try {
  const results = [];
  for (const database of databases) {
    const run = known[database];
    if (run === undefined) throw new Error(`--databases knows no ${database}`);
    results.push(await run());
  }
  print(results);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function onSqlite() {
  const file = path.join(folder, 'holdfast.db');
  const databaseUrl = `file:${file}`;
  await migrate(databaseUrl);
  console.error('filling SQLite');
  fillSqlite(file, sizes);
  return measured(databaseUrl);
}

async function onPostgres() {
  const database = await startDatabase({ root, folder });
  try {
    await migrate(database.url);
    console.error('filling PostgreSQL');
    await fillPostgres(database.url, sizes);
    return await measured(database.url);
  } finally {
    await database.stop();
  }
}

/** The tables are made by a start. */
async function migrate(databaseUrl) {
  const server = await startHoldfast({ title: 'migrations', home: root, databaseUrl });
  await server.stop();
}

/** @returns the milliseconds of each call, sorted. One after the other, each call once in a round. */
async function measured(databaseUrl) {
  const server = await startHoldfast({ title: 'Holdfast', home: root, databaseUrl });
  try {
    const headers = { authorization: `Bearer ${await makeKey(server.url)}` };
    const calls = [];
    for (const [title, target, follow] of allCalls(Date.now())) {
      if (!title.startsWith(options.only)) continue;
      const first = await timed(server.url + target, headers);
      const cursor =
        follow === undefined ? '' : `&cursor=${encodeURIComponent(first.body[follow])}`;
      calls.push({ title, url: server.url + target + cursor, times: [] });
    }
    for (let round = 0; round < samples; round += 1) {
      for (const call of calls) call.times.push((await timed(call.url, headers)).tookMs);
    }
    for (const { times } of calls) times.sort((one, other) => one - other);
    return new Map(calls.map(({ title, times }) => [title, times]));
  } finally {
    await server.stop();
  }
}

async function timed(url, headers) {
  const startMs = performance.now();
  const response = await fetch(url, { headers });
  const text = await response.text();
  const tookMs = performance.now() - startMs;
  if (response.status !== 200)
    throw new Error(`${url} was answered with ${response.status}: ${text}`);
  return { tookMs, body: JSON.parse(text) };
}

function print(results) {
  const { locks, events } = sizes;
  console.log(
    `${locks} locks, ${events} events; ${samples} calls of each, one at a time; milliseconds\n`,
  );
  const heads = databases.flatMap((database) => [`${database} p50`, `${database} p95`]);
  console.log(`| call | ${heads.join(' | ')} |`);
  console.log(`| --- | ${heads.map(() => '---:').join(' | ')} |`);
  for (const title of results[0].keys()) {
    const cells = results.flatMap((result) =>
      [0.5, 0.95].map((share) => {
        const times = result.get(title);
        return times[Math.ceil(times.length * share) - 1].toFixed(1);
      }),
    );
    console.log(`| ${title} | ${cells.join(' | ')} |`);
  }
}
