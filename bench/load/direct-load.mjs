// Load that goes to a database without HTTP: a process of its own with as many callers as connections, each waiting for
// its answer before it asks again. Arguments: `pool` or `setnx`, the address, the prefix, connections, seconds.
import { randomUUID } from 'node:crypto';
import process from 'node:process';

const [kind, url, prefix, connectionsText, secondsText] = process.argv.slice(2);
const connections = Number(connectionsText);
const latencies = [];
let sent = 0;

const { acquire, end } = await { pool: openPool, setnx: openSetNx }[kind]();
await acquire(`${prefix}first`);
const startedMs = performance.now();
const untilMs = startedMs + Number(secondsText) * 1000;
await Promise.all(Array.from({ length: connections }, loop));
const seconds = (performance.now() - startedMs) / 1000;
await end();

latencies.sort((one, other) => one - other);
const at = (share) => latencies[Math.floor((latencies.length - 1) * share)];
const calls = latencies.length;
process.stdout.write(
  `${JSON.stringify({ calls, seconds, p50Ms: at(0.5), p99Ms: at(0.99), refused: 0, broken: 0 })}\n`,
);

async function loop() {
  while (performance.now() < untilMs) {
    sent += 1;
    const callMs = performance.now();
    if (!(await acquire(`${prefix}${sent}`))) throw new Error('A free name was not granted');
    latencies.push(performance.now() - callMs);
  }
}

/** What a table of locks is usually written with: one statement that inserts, or takes over what is expired. */
async function openPool() {
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({ connectionString: url, max: connections });
  const query = {
    name: 'acquire',
    text: `INSERT INTO plain_locks (resource, owner, acquired_at, expires_at)
      VALUES ($1, $2, now(), now() + interval '1 hour')
      ON CONFLICT (resource) DO UPDATE
        SET owner = excluded.owner, acquired_at = excluded.acquired_at, expires_at = excluded.expires_at
        WHERE plain_locks.expires_at < now()
      RETURNING owner, expires_at`,
  };
  return {
    acquire: async (resource) =>
      (await pool.query({ ...query, values: [resource, randomUUID()] })).rowCount === 1,
    end: () => pool.end(),
  };
}

/** A connection for each caller: what shares one is pipelined, which callers in processes of their own can't be. */
async function openSetNx() {
  const { Redis } = await import('ioredis');
  const idle = Array.from({ length: connections + 1 }, () => new Redis(url));
  const all = [...idle];
  return {
    async acquire(resource) {
      const client = idle.pop();
      const answer = await client.set(resource, randomUUID(), 'PX', 3_600_000, 'NX');
      idle.push(client);
      return answer === 'OK';
    },
    end: () => Promise.all(all.map((client) => client.quit())),
  };
}
