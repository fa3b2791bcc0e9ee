import { inject } from 'vitest';

import { migrations } from '@/generated/migrations-postgresql';
import type { LockStore } from '@/lib/locks/lock-store';
import type { OpenDatabaseOptions } from '@/lib/store/postgresql/open-database';
import { openPostgresStore, postgresGroupCommit } from '@/lib/store/postgresql/postgresql-store';

import { createDatabase, query } from '../support/postgres-cluster';
import { startMs, type StoreUnderTest } from './store-under-test';

/** A PostgreSQL store on a database of its own, whose clock is a row that the test sets. */
export async function openPostgres(): Promise<StoreUnderTest & { readonly url: string }> {
  return openOn(await createDatabase(inject('postgresUrl')));
}

/**
 * The same where the database sorts by the rules of a language, lives half a day away, writes dates, times, numbers and
 * text in its own manner, and has views of its own on how statements should be planned.
 */
export async function openOddPostgres(): Promise<StoreUnderTest> {
  const url = await createDatabase(
    inject('postgresUrl'),
    `LOCALE_PROVIDER icu ICU_LOCALE 'sv-SE-u-kn-true' TEMPLATE template0`,
  );
  const database = new URL(url).pathname.slice(1);
  const settings = {
    timezone: 'Asia/Kolkata',
    datestyle: 'SQL, DMY',
    intervalstyle: 'sql_standard',
    extra_float_digits: '-3',
    standard_conforming_strings: 'off',
    default_transaction_deferrable: 'on',
    enable_indexscan: 'off',
    plan_cache_mode: 'force_custom_plan',
  };
  for (const [name, value] of Object.entries(settings)) {
    await query(url, `ALTER DATABASE ${database} SET ${name} = '${value}'`);
  }
  return openOn(url);
}

/** Patient: a machine under load must not turn a guarantee into a refusal. */
export function patientOptions(url: string): OpenDatabaseOptions {
  return {
    database: {
      url,
      connectionsMax: 10,
      connectMsMax: 10_000,
      statementMsMax: 20_000,
      lockMsMax: 10_000,
    },
    migrations,
    groupCommit: { ...postgresGroupCommit, patienceMs: 20_000, answerMsMax: 30_000 },
    startMsMax: 10_000,
    onFindings: () => undefined,
  };
}

/** Another instance on the same database; to be closed. */
export function openSecond(url: string): Promise<LockStore> {
  return openPostgresStore(patientOptions(url));
}

async function openOn(url: string): Promise<StoreUnderTest & { readonly url: string }> {
  const store = await openSecond(url);
  await pinClock(url);
  return {
    store,
    url,
    clock: {
      async now() {
        return Number(await valueOf(url, 'SELECT ms FROM test_clock'));
      },
      async set(ms) {
        await query(url, 'UPDATE test_clock SET ms = $1', [ms]);
      },
      async advance(ms) {
        await query(url, 'UPDATE test_clock SET ms = ms + $1', [ms]);
      },
    },
    async setTokenCounter(value) {
      await query(url, `SELECT setval('fencing_tokens', $1)`, [value]);
    },
    async noteAccess(kind, actor) {
      await query(
        url,
        `INSERT INTO lock_events (at, kind, actor, subject) VALUES (holdfast_now(), $1, $2, 'subject')`,
        [kind, actor],
      );
    },
    async close() {
      await store.close();
      await query(
        inject('postgresUrl'),
        `DROP DATABASE ${new URL(url).pathname.slice(1)} WITH (FORCE)`,
      );
    },
  };
}

/** Every verb and read asks this one function for the time. */
async function pinClock(url: string): Promise<void> {
  await query(url, `CREATE TABLE test_clock (ms bigint NOT NULL)`);
  await query(url, `INSERT INTO test_clock VALUES ($1)`, [startMs]);
  await query(
    url,
    `CREATE OR REPLACE FUNCTION holdfast_now() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
      SELECT 'epoch'::timestamptz + ms * interval '1 millisecond' FROM test_clock
    $$`,
  );
}

async function valueOf(url: string, sql: string): Promise<unknown> {
  const [row] = await query(url, sql);
  return Object.values(row ?? {})[0];
}
