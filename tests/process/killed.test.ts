import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { LockOnWire } from '@/lib/contract/answers';

import { createApi, type Api } from '../support/api';
import { rowsOf } from '../support/database';
import { createRandom } from '../support/random';
import { startServer, type TestServer } from '../support/server';
import { poll } from '../support/waiting';

const kills = 20;
const clients = 16;
const resourcesPerLife = 24;

/** What a client was told about one grant, and what it has done with it since. */
interface Grant {
  readonly resource: string;
  readonly owner: string;
  readonly token: number;
  readonly acquiredAtMs: number;
  /** The latest end that the service has promised. */
  expiresAtMs: number;
  /** `maybe`: a release was sent and not answered. */
  released: 'no' | 'maybe' | 'yes';
}

/** Everything that was answered, over all clients and all lives of the server. */
class Ledger {
  readonly grants: Grant[] = [];
  highestToken = 0;

  add(lock: LockOnWire, highestBefore: number): Grant {
    // In real time: whoever was answered before this call was sent has a smaller token.
    expect(lock.fencing_token).toBeGreaterThan(highestBefore);
    const grant: Grant = {
      resource: lock.resource,
      owner: lock.owner,
      token: lock.fencing_token,
      acquiredAtMs: Date.parse(lock.acquired_at),
      expiresAtMs: Date.parse(lock.expires_at),
      released: 'no',
    };
    this.grants.push(grant);
    this.highestToken = Math.max(this.highestToken, lock.fencing_token);
    return grant;
  }
}

describe('a server that is killed under load', () => {
  let server: TestServer;
  let api: Api;
  beforeAll(async () => {
    server = await startServer();
    api = createApi(server);
  });
  afterAll(() => server.stop());

  test(`forgets no answered grant and gives none twice, over ${kills} kills`, async () => {
    const random = createRandom('kills under load');
    const ledger = new Ledger();
    for (let life = 0; life < kills; life += 1) {
      const load = startLoad(api, ledger, random, life);
      const answered = ledger.grants.length + random.between(20, 150);
      await poll(() => (ledger.grants.length >= answered ? true : null), {
        withinMs: 60_000,
        everyMs: 2,
        describe: () => `the load stands still:\n${server.log()}`,
      });
      await server.kill('SIGKILL');
      await load.stop();
      await server.restart();
      await expectNothingForgotten(api, ledger);
    }
    expectHistoryToAgree(server.databaseFile, ledger);
    expectNoTwoAtOnce(ledger);
    process.stdout.write(`kills under load: ${ledger.grants.length} grants were answered\n`);
  }, 300_000);
});

type Random = ReturnType<typeof createRandom>;

/** Clients that acquire, renew and release until the server is gone. */
function startLoad(
  api: Api,
  ledger: Ledger,
  random: Random,
  life: number,
): { stop(): Promise<void> } {
  let isStopping = false;
  const running = Array.from({ length: clients }, async () => {
    while (!isStopping) {
      try {
        // A kill leaves long leases behind, so most calls are for names that no earlier life has used.
        const born = random.next() < 0.8 ? life : random.between(0, life);
        const resource = `killed/${born}/${random.between(1, resourcesPerLife)}`;
        await useOneLock(api, ledger, random, resource);
      } catch (error) {
        // The process is gone: what was under way is unknown, and is judged by nobody.
        if (!isBrokenConnection(error)) throw error;
        return;
      }
    }
  });
  return {
    async stop() {
      isStopping = true;
      await Promise.all(running);
    },
  };
}

async function useOneLock(
  api: Api,
  ledger: Ledger,
  random: Random,
  resource: string,
): Promise<void> {
  const owner = randomUUID();
  const ttlMs = random.pick([500, 2_000, 60_000]);
  const highestBefore = ledger.highestToken;
  const acquired = await api.call('acquire', { resource, body: { owner, ttl_ms: ttlMs } });
  if (acquired.status === 503) return;
  const body = acquired.value();
  if (!body.acquired) return;
  const grant = ledger.add(body.lock, highestBefore);
  const token = { owner, fencing_token: grant.token };

  for (let renewals = random.between(0, 2); renewals > 0; renewals -= 1) {
    const renewed = await api.call('renew', { resource, body: { ...token, ttl_ms: ttlMs } });
    if (renewed.ok) grant.expiresAtMs = Date.parse(renewed.value().lock.expires_at);
  }
  // Some leases are left to lapse, as by an owner that has crashed.
  if (random.next() < 0.1) return;
  grant.released = 'maybe';
  const released = await api.call('release', { resource, body: token });
  if (released.status === 204) grant.released = 'yes';
}

function isBrokenConnection(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return ['ECONNRESET', 'ECONNREFUSED', 'EPIPE'].includes(String(code));
}

async function expectNothingForgotten(api: Api, ledger: Ledger): Promise<void> {
  for (const grant of ledger.grants) {
    if (grant.released !== 'no' || grant.expiresAtMs <= Date.now()) continue;
    const answer = await api.call('inspect', { resource: grant.resource });
    // It may have run out while it was asked for.
    if (grant.expiresAtMs <= Date.now()) continue;
    expect(answer.value().lock).toMatchObject({ owner: grant.owner, fencing_token: grant.token });
    expect(Date.parse(answer.value().lock.expires_at)).toBeGreaterThanOrEqual(grant.expiresAtMs);
  }
}

/** The file's own account: one grant event for each answered grant, one release for each answered release. */
function expectHistoryToAgree(file: string, ledger: Ledger): void {
  const written = rowsOf(
    file,
    `SELECT fencing_token AS token, kind, resource, owner FROM lock_events ORDER BY id`,
  ) as { token: number; kind: string; resource: string; owner: string }[];
  const grants = written.filter(({ kind }) => ['acquired', 'claimed', 'reacquired'].includes(kind));
  const tokens = grants.map((grant) => grant.token);
  expect(new Set(tokens).size).toBe(tokens.length);
  expect(tokens).toEqual([...tokens].sort((one, other) => one - other));

  const byToken = new Map(grants.map((grant) => [grant.token, grant]));
  const released = new Set(
    written.filter(({ kind }) => kind === 'released').map(({ token }) => token),
  );
  for (const { token, resource, owner, released: isReleased } of ledger.grants) {
    expect(byToken.get(token)).toMatchObject({ resource, owner });
    if (isReleased === 'yes') expect(released).toContain(token);
    if (isReleased === 'no') expect(released).not.toContain(token);
  }
  expect(
    rowsOf(file, 'SELECT resource FROM distributed_locks GROUP BY resource HAVING count(*) > 1'),
  ).toEqual([]);
  expect(rowsOf(file, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
}

/** A lease that nobody ended has run out before the next one on its resource began. */
function expectNoTwoAtOnce(ledger: Ledger): void {
  for (const resource of new Set(ledger.grants.map((grant) => grant.resource))) {
    const leases = ledger.grants
      .filter((grant) => grant.resource === resource)
      .sort((one, other) => one.token - other.token);
    leases.reduce<Grant | null>((earlier, later) => {
      if (earlier !== null) {
        expect(later.acquiredAtMs).toBeGreaterThanOrEqual(earlier.acquiredAtMs);
        if (earlier.released === 'no') {
          expect(later.acquiredAtMs).toBeGreaterThanOrEqual(earlier.expiresAtMs);
        }
      }
      return later;
    }, null);
  }
}
