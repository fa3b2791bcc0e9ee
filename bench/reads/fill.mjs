// A database as a busy service has it after a month: locks of which some are over, silent, closed or asked for, and a history.
import Database from 'better-sqlite3';
import pg from 'pg';

const dayMs = 24 * 60 * 60 * 1000;

/** Expressions over a number `n` from 1 that both dialects understand. */
const name = `'group-' || (n % 100) || '/job-' || n`;
const owner = `'worker-' || (n % 5000)`;
const client = `'client-' || (n % 50)`;
const kind = `CASE WHEN n % 10000 = 0 THEN 'force_released' WHEN n % 300 = 1 THEN 'expired' WHEN n % 100 = 2 THEN 'contended'
  WHEN n % 100 = 3 THEN 'renewed' WHEN n % 2 = 0 THEN 'acquired' ELSE 'released' END`;
/** Half of the events are of a hundredth of the locks. */
const eventName = (locks) =>
  `'group-' || (CASE WHEN n % 4 < 2 THEN n / 4 % ${locks} ELSE n / 4 % ${Math.ceil(locks / 100)} END % 100)
    || '/job-' || CASE WHEN n % 4 < 2 THEN n / 4 % ${locks} ELSE n / 4 % ${Math.ceil(locks / 100)} END`;

function statements({ locks, events, nowMs, time, series }) {
  const sinceMs = nowMs - 30 * dayMs;
  const stepMs = (30 * dayMs) / events;
  return [
    `INSERT INTO distributed_locks (resource, owner, client, acquired_at, expires_at, renewed_at, renew_count, ttl_ms,
       fencing_token, hold_name, hold_reason)
     SELECT ${name}, ${owner}, ${client}, ${time(`${nowMs} - 600000 - n % 3000000`)},
       ${time(`${nowMs} + CASE WHEN n % 10 = 0 THEN -(n % 3600000) - 1 ELSE 3600000 + n * 37 % 7200000 END`)},
       ${time(`${nowMs} - CASE WHEN n % 100 = 7 THEN 300000 ELSE 1000 END`)}, 60, 7200000, n,
       CASE WHEN n % 1000 = 9 THEN 'ann' END, CASE WHEN n % 1000 = 9 THEN 'migration' END
     FROM ${series(locks)}`,
    `INSERT INTO lock_events (at, kind, resource, owner, client, fencing_token, held_ms, count, actor, reason)
     SELECT ${time(`${sinceMs} + CAST(n * ${stepMs} AS bigint)`)}, ${kind}, ${eventName(locks)}, ${owner}, ${client}, n,
       CASE WHEN n % 2 = 1 THEN n % 90000 END, CASE WHEN n % 100 IN (2, 3) THEN 1 + n % 50 END,
       CASE WHEN n % 10000 = 0 THEN 'ann' END, CASE WHEN n % 10000 = 0 THEN 'stuck' END
     FROM ${series(events)}`,
    `INSERT INTO lock_askers (resource, owner, client, attempts, first_at, last_at)
     SELECT ${name}, 'asker-' || n, ${client}, 5, ${time(`${nowMs} - 30000`)}, ${time(`${nowMs} + 3600000`)}
     FROM ${series(500)}`,
  ];
}

export function fillSqlite(file, { locks, events }) {
  const database = new Database(file);
  const series = (max) =>
    `(WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ${max}) SELECT n FROM s) numbers`;
  const time = (ms) => `CAST(${ms} AS integer)`;
  database.pragma('synchronous = OFF');
  for (const sql of statements({ locks, events, nowMs: Date.now(), time, series })) {
    database.exec(sql.replaceAll('AS bigint', 'AS integer'));
  }
  database.exec('ANALYZE');
  database.close();
}

export async function fillPostgres(url, { locks, events }) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const series = (max) => `(SELECT n::bigint AS n FROM generate_series(1, ${max}) n) numbers`;
  const time = (ms) => `'epoch'::timestamptz + (${ms}) * interval '1 millisecond'`;
  for (const sql of statements({ locks, events, nowMs: Date.now(), time, series })) {
    await client.query(sql);
  }
  // What a server that has run for a month has done by itself.
  await client.query('VACUUM ANALYZE');
  await client.end();
}
