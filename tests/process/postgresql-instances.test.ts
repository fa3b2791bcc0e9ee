import { existsSync } from 'node:fs';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { fresh } from '../support/both-doors';
import { query, startPostgres, type PostgresCluster } from '../support/postgres-cluster';
import { createRandom } from '../support/random';
import { startInstances, type Instances } from '../support/instances';
import { expectLeasesApart, type TakenLease } from '../support/lease-check';

/** Debian's libfaketime, by which each instance lives at another time than the database and the others. */
const faketime = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';
const skews = ['+1h', '+0', '-1h'];

const clients = 8;
const operationsWanted = 20_000;
const hotSeconds = 30;

describe('three instances on one PostgreSQL, an hour apart from one another', () => {
  let cluster: PostgresCluster;
  let url: string;
  let instances: Instances;
  beforeAll(async () => {
    if (!existsSync(faketime)) {
      throw new Error(`This needs ${faketime} (Debian: apt-get install libfaketime)`);
    }
    cluster = await startPostgres();
    url = await cluster.createDatabase();
    instances = await startInstances(
      skews.map((skew) => ({
        environment: {
          DATABASE_URL: url,
          LD_PRELOAD: faketime,
          FAKETIME: skew,
          FAKETIME_DONT_FAKE_MONOTONIC: '1',
        },
      })),
    );
  });
  afterAll(async () => {
    await instances.stop();
    await cluster.remove();
  });

  test(`${operationsWanted} calls of all kinds, with the database killed and its sessions terminated, break no promise`, async () => {
    const random = createRandom('three instances');
    const names = Array.from({ length: 10 }, () => fresh('chaos'));
    const taken: TakenLease[] = [];
    let operations = 0;
    let unknown = 0;

    /** When one call was sent and answered; 503 means "maybe". */
    const counted = async <Told extends { readonly status: number }>(call: Promise<Told>) => {
      operations += 1;
      const sentMs = performance.now();
      const answer = await call;
      if (answer.status === 503) unknown += 1;
      return { sentMs, answeredMs: performance.now(), answer };
    };

    async function useOneLock(client: number): Promise<void> {
      // Half of the calls are for the two hot names.
      const resource =
        names[random.next() < 0.5 ? random.between(0, 1) : random.between(2, 9)] ?? '';
      const api = instances.api(random.between(0, 2));
      const owner = `client-${client}-${operations}`;
      const ttlMs = random.pick([100, 300, 1_000]);
      const acquired = await counted(
        api.call('acquire', { resource, body: { owner, ttl_ms: ttlMs } }),
      );
      if (acquired.answer.status === 503) return;
      const body = acquired.answer.value();
      if (!body.acquired) return;
      const lease: TakenLease = {
        resource,
        token: body.lock.fencing_token,
        sentMs: acquired.sentMs,
        answeredMs: acquired.answeredMs,
        heldUntilMs: acquired.sentMs + ttlMs,
      };
      taken.push(lease);
      const own = { owner, fencing_token: lease.token };
      for (let renewals = random.between(0, 3); renewals > 0; renewals -= 1) {
        const renewed = await counted(
          instances
            .api(random.between(0, 2))
            .call('renew', { resource, body: { ...own, ttl_ms: ttlMs } }),
        );
        if (renewed.answer.status === 200) lease.heldUntilMs = renewed.sentMs + ttlMs;
        if (renewed.answer.status === 409 || renewed.answer.status === 404) return;
      }
      if (random.next() < 0.1) {
        lease.heldUntilMs = Math.min(lease.heldUntilMs, performance.now());
        const seen = { reason: 'stuck', fencing_token: lease.token };
        await counted(api.call('forceRelease', { resource, body: seen }));
      } else if (random.next() < 0.9) {
        lease.heldUntilMs = Math.min(lease.heldUntilMs, performance.now());
        await counted(instances.api(random.between(0, 2)).call('release', { resource, body: own }));
      }
    }

    const running = Array.from({ length: clients }, async (_, client) => {
      while (operations < operationsWanted) await useOneLock(client);
    });
    const nemesis = (async () => {
      for (const share of [0.15, 0.3, 0.45, 0.6, 0.75]) {
        while (operations < share * operationsWanted) await pause();
        if (share === 0.45) {
          await cluster.end('immediate');
          await cluster.start();
        } else {
          await query(
            url,
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'holdfast'`,
          );
        }
      }
    })();
    await Promise.all([...running, nemesis]);

    expectLeasesApart(taken);
    await expectHistory(names, taken);
    process.stdout.write(
      `three instances: ${operations} calls, ${taken.length} grants, ${unknown} without an answer\n`,
    );
  }, 300_000);

  test(`50 callers who loop on one name for ${hotSeconds} s never hold it together, and none is failed by a deadlock`, async () => {
    const resource = fresh('hot');
    const taken: TakenLease[] = [];
    const untilMs = performance.now() + hotSeconds * 1000;
    const statuses = new Set<number>();
    const callers = Array.from({ length: 50 }, async (_, caller) => {
      const api = instances.api(caller);
      const owner = `caller-${caller}`;
      while (performance.now() < untilMs) {
        const sentMs = performance.now();
        const acquired = await api.call('acquire', { resource, body: { owner, ttl_ms: 20_000 } });
        statuses.add(acquired.status);
        if (!acquired.ok) continue;
        const answer = acquired.value();
        if (!answer.acquired) continue;
        const answeredMs = performance.now();
        const token = answer.lock.fencing_token;
        const lease = { resource, token, sentMs, answeredMs, heldUntilMs: performance.now() };
        taken.push(lease);
        const released = await api.call('release', {
          resource,
          body: { owner, fencing_token: token },
        });
        statuses.add(released.status);
      }
    });
    await Promise.all(callers);
    expect([...statuses].sort()).toEqual([200, 204]);
    expect(taken.length).toBeGreaterThan(50);
    expectLeasesApart(taken);
    await expectHistory([resource], taken);
    process.stdout.write(`one hot name: ${taken.length} grants in ${hotSeconds} s\n`);
  }, 120_000);

  const pause = () => new Promise((resolve) => setTimeout(resolve, 5));

  /** The database's own account: by the rules, with each answered grant in it, and times by its clock alone. */
  async function expectHistory(
    names: readonly string[],
    taken: readonly TakenLease[],
  ): Promise<void> {
    const granted = new Set<string>();
    for (const resource of names) {
      const events = await query(
        url,
        `SELECT kind, fencing_token::float AS token, abs(extract(epoch FROM at - clock_timestamp())) > 3000 AS skewed
         FROM lock_events WHERE resource = $1 ORDER BY id`,
        [resource],
      );
      expect(events.filter((event) => event['skewed'] === true)).toEqual([]);
      // Renewals leave no line, so only the order of grants can be judged here.
      const tokens = events
        .filter(({ kind }) => kind === 'acquired' || kind === 'claimed' || kind === 'reacquired')
        .map((event) => Number(event['token']));
      for (const token of tokens) granted.add(`${resource} ${token}`);
      expect(tokens).toEqual([...tokens].sort((one, other) => one - other));
    }
    const missing = taken.filter(({ resource, token }) => !granted.has(`${resource} ${token}`));
    expect(missing).toEqual([]);
  }
});
