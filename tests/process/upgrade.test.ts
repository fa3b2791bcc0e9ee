import path from 'node:path';

import { afterEach, describe, expect, inject, test } from 'vitest';

import { fresh } from '../support/both-doors';
import { change, rowsOf } from '../support/database';
import { startInstances, type Instances } from '../support/instances';
import { openOlderPostgres, openOlderSqlite, type OlderVersion } from '../support/older-version';
import { createDatabase, query } from '../support/postgres-cluster';
import { temporaryFolder } from '../support/server';
import { deadline, poll } from '../support/waiting';

/** What docs/operating.md promises of an upgrade without a pause, from the first version's tables on. */

interface Kind {
  readonly name: string;
  readonly url: () => string | Promise<string>;
  readonly open: (url: string) => Promise<OlderVersion>;
  /** Ends a lease behind everybody's back, as time does. */
  readonly expire: (url: string, resource: string) => unknown;
  readonly migrations: (url: string) => Promise<number> | number;
}

const fileOf = (url: string) => url.slice('file:'.length);
const ledger = 'SELECT migration_name AS name FROM _prisma_migrations';

const kinds: readonly Kind[] = [
  {
    name: 'SQLite',
    url: () => `file:${path.join(temporaryFolder(), 'holdfast.db')}`,
    open: openOlderSqlite,
    expire: (url, resource) =>
      change(
        fileOf(url),
        'UPDATE distributed_locks SET expires_at = 1 WHERE resource = ?',
        resource,
      ),
    migrations: (url) => rowsOf(fileOf(url), ledger).length,
  },
  {
    name: 'PostgreSQL',
    url: () => createDatabase(inject('postgresUrl')),
    open: openOlderPostgres,
    expire: (url, resource) =>
      query(url, `UPDATE distributed_locks SET expires_at = 'epoch' WHERE resource = $1`, [
        resource,
      ]),
    migrations: async (url) => (await query(url, ledger)).length,
  },
];

const ttlMs = 600_000;
const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

describe.each(kinds)('an upgrade without a pause from the first version, on $name', (kind) => {
  async function begin() {
    const url = await kind.url();
    const older = await kind.open(url);
    cleanUps.push(() => older.close());
    return { url, older };
  }

  /** Two instances of this version at once; what the older one does meanwhile goes on until they are ready. */
  async function upgrade(url: string): Promise<Instances> {
    const own = { environment: { DATABASE_URL: url } };
    const instances = await startInstances([own, own]);
    cleanUps.push(() => instances.stop());
    return instances;
  }

  test('leases from before stay their owners’, tokens go on, and the history is kept', async () => {
    const { url, older } = await begin();
    const names = Array.from({ length: 30 }, () => fresh('before'));
    const tokens = new Map<string, number>();
    for (const resource of names) {
      tokens.set(resource, (await older.acquire(resource, 'worker', ttlMs)) ?? 0);
    }
    const [released = '', over = '', ...held] = names;
    expect(await older.release(released, 'worker')).toBe(true);
    await kind.expire(url, over);
    expect(await kind.migrations(url)).toBe(1);

    const instances = await upgrade(url);
    const api = (number: number) => instances.api(number);
    expect(await kind.migrations(url)).toBeGreaterThan(1);
    const largest = Math.max(...tokens.values());
    for (const [number, resource] of held.entries()) {
      const seen = (await api(number).call('inspect', { resource })).value().lock;
      expect([seen.owner, seen.client, seen.fencing_token]).toEqual([
        'worker',
        null,
        tokens.get(resource),
      ]);
      const other = { resource, body: { owner: 'thief', ttl_ms: ttlMs } };
      expect((await api(number).call('acquire', other)).value().acquired).toBe(false);
      const own = { owner: 'worker', ttl_ms: ttlMs, fencing_token: seen.fencing_token };
      expect((await api(number + 1).call('renew', { resource, body: own })).status).toBe(200);
    }
    for (const one of instances.all) {
      const { fencing_token } = await one.grant(fresh('after'));
      expect(fencing_token).toBeGreaterThan(largest);
    }
    // A lease that ended before the upgrade is claimed in place, and its end comes on record.
    await poll(async () => ((await kindsOf(api(0), over))[0] === 'expired' ? true : null), {
      withinMs: 20_000,
      describe: () => 'the end of a lease from before is not noted',
    });
    const claimed = (await api(0).call('acquire', { resource: over, body: ownerBody })).value();
    expect(claimed.acquired).toBe(true);
    expect(await kindsOf(api(1), released)).toEqual(['released', 'acquired']);
    expect(await kindsOf(api(1), over)).toEqual(['claimed', 'expired', 'acquired']);
  });

  test('the older version goes on beside it, and no lock is granted twice', async () => {
    const { url, older } = await begin();
    const contested = fresh('contested');
    const kept = fresh('kept');
    const keptToken = await older.acquire(kept, 'older', ttlMs);
    const grants: number[] = [];
    const stopping = new AbortController();
    /** The older version at work, during the migration too: every lease it gets it renews and releases. */
    const work = (async () => {
      for (let round = 0; round < 100_000 && !stopping.signal.aborted; round += 1) {
        const resource = fresh('older');
        // A file's calls are answered without a pause, in which the others of this process would be heard.
        await new Promise((resolve) => setImmediate(resolve));
        grants.push((await older.acquire(resource, 'older', ttlMs)) ?? 0);
        expect(await older.renew(resource, 'older', ttlMs)).toBe(true);
        expect(await older.renew(kept, 'older', ttlMs)).toBe(true);
        expect(await older.release(resource, 'older')).toBe(true);
      }
    })();
    work.catch(() => undefined);
    const instances = await upgrade(url);
    const api = (number: number) => instances.api(number);
    const before = grants.length;
    await poll(() => (grants.length > before + 20 ? true : null), {
      withinMs: 30_000,
      describe: () => `the older version has stopped: ${grants.length - before} grants`,
    });
    stopping.abort();
    await deadline(work, 30_000, () => 'the older version does not end');
    expect(grants).toEqual(grants.toSorted((one, other) => one - other));
    expect(new Set(grants).size).toBe(grants.length);

    // Turn by turn on one name: whoever has it keeps the other out, and tokens rise through both.
    let last = grants.at(-1) ?? 0;
    for (let round = 0; round < 20; round += 1) {
      const own = await older.acquire(contested, 'older', ttlMs);
      expect(own).toBeGreaterThan(last);
      const refused = await api(round).call('acquire', { resource: contested, body: ownerBody });
      expect(refused.value().acquired).toBe(false);
      expect(await older.release(contested, 'older')).toBe(true);
      const lock = await api(round).grant(contested, { owner: 'newer' });
      expect(lock.fencing_token).toBeGreaterThan(own ?? Number.MAX_SAFE_INTEGER);
      expect(await older.acquire(contested, 'older', ttlMs)).toBeNull();
      // The first version had no clients: its owner string alone is no key to a lease that has one.
      expect(await older.release(contested, 'newer')).toBe(false);
      const release = { resource: contested, body: { owner: 'newer' } };
      expect((await api(round + 1).call('release', release)).status).toBe(204);
      last = lock.fencing_token;
    }
    const seen = (await api(0).call('inspect', { resource: kept })).value().lock;
    expect([seen.owner, seen.fencing_token]).toEqual(['older', keptToken]);
    expect(await kindsOf(api(1), contested)).toEqual(
      Array.from({ length: 20 }, () => ['released', 'acquired', 'released', 'acquired']).flat(),
    );
  });
});

const ownerBody = { owner: 'newer', ttl_ms: ttlMs };

async function kindsOf(api: ReturnType<Instances['api']>, resource: string): Promise<string[]> {
  const query = { limit: 100 };
  const { events } = (await api.call('lockEvents', { resource, query })).value();
  return events.map((event) => event.kind).filter((kind) => kind !== 'contended');
}
