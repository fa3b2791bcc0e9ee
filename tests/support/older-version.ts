import { migrations as postgresMigrations } from '@/generated/migrations-postgresql';
import { migrations as sqliteMigrations } from '@/generated/migrations-sqlite';
import { RolledBack, StoreBusy } from '@/lib/store/errors';
import type { LockVerbs } from '@/lib/store/lock-verbs';
import { PostgresDatabase } from '@/lib/store/postgresql/database';
import { migratePostgres } from '@/lib/store/postgresql/migrate';
import { createVerbs as createPostgresVerbs } from '@/lib/store/postgresql/verbs';
import { LocalSqliteConnection } from '@/lib/store/sqlite/connection';
import { migrateSqlite } from '@/lib/store/sqlite/migrate';
import { sqliteClock } from '@/lib/store/sqlite/statements/parts';
import { createVerbs as createSqliteVerbs } from '@/lib/store/sqlite/verbs';

import { poll } from './waiting';

/**
 * A user of a database with the first migrations alone, who knows of none that came later: what an instance of the first
 * version sends. Calls are by the owner of a service without a client, as there was no access control yet.
 */
export interface OlderVersion {
  /** @returns the token; null if another holds it. */
  acquire(resource: string, owner: string, ttlMs: number): Promise<number | null>;
  /** Whether it was renewed. */
  renew(resource: string, owner: string, ttlMs: number): Promise<boolean>;
  /** Whether it was released. */
  release(resource: string, owner: string): Promise<boolean>;
  close(): Promise<void>;
}

const monotonicMs = () => performance.now();

export async function openOlderSqlite(url: string): Promise<OlderVersion> {
  const connection = new LocalSqliteConnection(url);
  await migrateSqlite(connection, sqliteMigrations.slice(0, 1));
  const verbs = createSqliteVerbs(connection, sqliteClock, monotonicMs);
  return olderVersion(verbs, () => connection.close());
}

export async function openOlderPostgres(url: string): Promise<OlderVersion> {
  const options = {
    url,
    connectionsMax: 4,
    connectMsMax: 10_000,
    statementMsMax: 10_000,
    lockMsMax: 5_000,
  };
  await migratePostgres(options, postgresMigrations.slice(0, 1));
  const database = new PostgresDatabase(options);
  const verbs = createPostgresVerbs(database, { lockMsMax: options.lockMsMax, monotonicMs });
  return olderVersion(verbs, () => database.close());
}

function olderVersion(verbs: LockVerbs, close: () => Promise<void>): OlderVersion {
  const call = (resource: string, owner: string) => ({
    ...{ resource, owner, client: null, fencingToken: null, metadata: null, requestId: null },
  });
  return {
    async acquire(resource, owner, ttlMs) {
      const calls = [{ ...call(resource, owner), ttlMs }];
      const outcome = await patiently(() => verbs.acquire(calls));
      return outcome.kind === 'granted' ? outcome.lease.fencingToken : null;
    },
    async renew(resource, owner, ttlMs) {
      const calls = [{ ...call(resource, owner), ttlMs }];
      return (await patiently(() => verbs.renew(calls))).kind === 'renewed';
    },
    async release(resource, owner) {
      return (await patiently(() => verbs.release([call(resource, owner)]))).kind === 'released';
    },
    close,
  };
}

/** As any instance does while another has the tables or the file: nothing was written, so it is tried again. */
async function patiently<T>(call: () => Promise<readonly { readonly outcome: T }[]>): Promise<T> {
  let last: unknown;
  return poll(
    async () => {
      try {
        return (await call())[0]?.outcome ?? null;
      } catch (error) {
        if (!(error instanceof StoreBusy || error instanceof RolledBack)) throw error;
        last = error;
        return null;
      }
    },
    { withinMs: 30_000, describe: () => `the older version gets no answer: ${String(last)}` },
  );
}
