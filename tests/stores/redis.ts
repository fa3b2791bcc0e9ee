import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { Redis } from 'ioredis';
import { inject } from 'vitest';

import { migrations as sqliteMigrations } from '@/generated/migrations-sqlite';
import type { AccessEventKind } from '@/lib/locks/events';
import { defaultGroupCommit } from '@/lib/store/group-commit';
import type { Ledger } from '@/lib/store/redis/ledger';
import { openPostgresLedger } from '@/lib/store/redis/postgresql-ledger';
import { openRedisStore, redisGroupCommit } from '@/lib/store/redis/redis-store';
import { parseRedisUrl } from '@/lib/store/redis/redis-url';
import { openSqliteLedger } from '@/lib/store/redis/sqlite-ledger';
import { LocalSqliteConnection } from '@/lib/store/sqlite/connection';

import { createDatabase, query } from '../support/postgres-cluster';
import { patientOptions } from './postgresql';
import { startMs, type StoreUnderTest } from './store-under-test';

/** The tokens and the history of a Redis store, in a database of the test's own. */
export interface LedgerUnderTest {
  readonly ledger: Ledger;
  setTokenCounter(value: number): Promise<void>;
  noteAccess(kind: AccessEventKind, actor: string, atMs: number): Promise<void>;
  /** Removes the database, after the store has closed the ledger. */
  remove(): Promise<void>;
}

export interface RedisUnderTest extends StoreUnderTest {
  readonly client: Redis;
  /** What every key begins with. */
  readonly prefix: string;
  readonly beside: LedgerUnderTest;
}

export interface RedisTestOptions {
  readonly url?: string;
  readonly prefix?: string;
  /** False for Redis' own clock. */
  readonly isClockPinned?: boolean;
  readonly tokenBlock?: number;
  /** False where a test's own connection can't be made by the address. */
  readonly isUrlForTests?: boolean;
  readonly startMsMax?: number;
}

const dayMs = 86_400_000;

/** A Redis store with a prefix of its own, whose clock is a key that the test sets. */
export async function openRedis(
  beside: LedgerUnderTest,
  options: RedisTestOptions = {},
): Promise<RedisUnderTest> {
  const { ledger } = beside;
  const { url = inject('redisUrl'), prefix = `test-${randomUUID()}`, tokenBlock = 1_000 } = options;
  const target = parseRedisUrl(url);
  if (typeof target === 'string') throw new Error(target);
  const client =
    options.isUrlForTests === false ? new Redis({ lazyConnect: true }) : new Redis(url);
  client.on('error', () => undefined);
  const keys = `{${prefix}}:`;
  const clockKey = `${keys}clock-of-the-test`;
  if (options.isClockPinned !== false) await client.set(clockKey, startMs, 'NX');
  const store = await openRedisStore({
    target,
    ledger,
    prefix,
    // Patient: a machine under load must not turn a guarantee into a refusal.
    groupCommit: { ...redisGroupCommit, patienceMs: 20_000, answerMsMax: 30_000 },
    startMsMax: options.startMsMax ?? 10_000,
    expiredMsMax: 60 * dayMs,
    tokenBlock,
    onFindings: () => undefined,
    onTrouble: () => undefined,
    ...(options.isClockPinned === false
      ? {}
      : { clock: `return tonumber(redis.call('GET', '${clockKey}'))` }),
  });
  return {
    store,
    client,
    prefix: keys,
    beside,
    clock: {
      now: async () => Number(await client.get(clockKey)),
      async set(ms) {
        await client.set(clockKey, ms);
      },
      async advance(ms) {
        await client.incrby(clockKey, ms);
      },
    },
    async setTokenCounter(value) {
      await beside.setTokenCounter(value);
      // What is left of the block that was reserved before is below, or above, the counter.
      await client.del(`${keys}tokens`);
    },
    noteAccess: async (kind, actor) =>
      beside.noteAccess(kind, actor, Number(await client.get(clockKey))),
    async close() {
      await store.close();
      client.disconnect();
      await beside.remove();
    },
  };
}

export async function sqliteLedger(): Promise<LedgerUnderTest & { readonly file: string }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'holdfast-ledger-'));
  const file = path.join(folder, 'history.db');
  const connect = () => new LocalSqliteConnection(`file:${file}`);
  const beside = connect();
  const ledger = await openSqliteLedger({
    writer: connect(),
    reader: connect(),
    migrations: sqliteMigrations,
    groupCommit: defaultGroupCommit,
  });
  return {
    ledger,
    file,
    setTokenCounter: (value) => beside.script(`UPDATE fencing_counter SET value = ${value};`),
    async noteAccess(kind, actor, atMs) {
      const sql = `INSERT INTO lock_events (at, kind, actor, subject) VALUES (?, ?, ?, 'subject')`;
      await beside.transaction([{ sql, values: [atMs, kind, actor] }]);
    },
    async remove() {
      await beside.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export async function postgresLedger(): Promise<LedgerUnderTest & { readonly url: string }> {
  const url = await createDatabase(inject('postgresUrl'));
  const ledger = await openPostgresLedger(patientOptions(url));
  return {
    ledger,
    url,
    async setTokenCounter(value) {
      await query(url, `SELECT setval('fencing_tokens', $1)`, [value]);
    },
    async noteAccess(kind, actor, atMs) {
      await query(
        url,
        `INSERT INTO lock_events (at, kind, actor, subject)
         VALUES ('epoch'::timestamptz + holdfast_span($3), $1, $2, 'subject')`,
        [kind, actor, atMs],
      );
    },
    async remove() {
      const name = new URL(url).pathname.slice(1);
      await query(inject('postgresUrl'), `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}
