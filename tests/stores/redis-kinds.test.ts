import { randomUUID } from 'node:crypto';

import { afterEach, describe, expect, test } from 'vitest';

import { makeCertificates } from '../support/certificates';
import { durable, inMemory, startRedis, type RedisServer } from '../support/redis-server';
import { temporaryFolder } from '../support/server';
import { poll } from '../support/waiting';
import { drive, fresh, type Driver } from './drive';
import { openRedis, sqliteLedger, type RedisUnderTest } from './redis';

/** The ways to a Redis beside a plain address, each to real servers of the test's own. */

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(...args: Parameters<typeof startRedis>): Promise<RedisServer> {
  const server = await startRedis(...args);
  closing.push(() => server.remove());
  return server;
}

/** A store at an address, which a caller uses as any other. */
async function openAt(url: string, startMsMax?: number): Promise<RedisUnderTest & Driver> {
  const beside = await sqliteLedger();
  closing.push(() => beside.remove());
  const options = { url, isClockPinned: false, isUrlForTests: false };
  const subject = await openRedis(beside, { ...options, ...(startMsMax ? { startMsMax } : {}) });
  closing.push(() => subject.store.close());
  return { ...subject, ...drive(subject) };
}

const long = { owner: 'a', ttlMs: 600_000 };

/** One of each call, and the history of them. */
async function useOnce(at: Driver): Promise<void> {
  const lease = await at.grant({ resource: fresh(), ...long });
  expect((await at.renew(lease)).kind).toBe('renewed');
  expect((await at.list({ filter: { text: lease.resource } })).leases).toHaveLength(1);
  expect((await at.release(lease)).kind).toBe('released');
  const kinds = (await at.history(lease.resource)).map(({ kind }) => kind);
  expect(kinds).toEqual(['acquired', 'released']);
}

/** After a change of servers a call may be told once that it is not known what became of it. */
function patiently<T>(call: () => Promise<T>): Promise<T> {
  return poll(() => call().catch(() => null), {
    withinMs: 30_000,
    describe: () => 'the store does not serve again',
  });
}

describe('by TLS', () => {
  const certificates = makeCertificates(temporaryFolder());
  const { ca, cert, key, pem } = certificates;
  const settings = {
    ...inMemory,
    'tls-ca-cert-file': ca,
    'tls-cert-file': cert,
    'tls-key-file': key,
  };
  const connect = { tls: pem };

  test('an authority of its own is named in the address, and certificates of both sides', async () => {
    const server = await start(settings, { connect });
    const files = `sslrootcert=${ca}&sslcert=${cert}&sslkey=${key}`;
    await useOnce(await openAt(`rediss://127.0.0.1:${server.port}?${files}`));
    await useOnce(await openAt(`rediss://localhost:${server.port}/3?${files}`));
  });

  test('a server that nobody known has signed for is refused, and the reason said', async () => {
    const server = await start({ ...settings, 'tls-auth-clients': 'no' }, { connect });
    await useOnce(await openAt(`rediss://127.0.0.1:${server.port}?sslrootcert=${ca}`));
    const refused = await openAt(`rediss://127.0.0.1:${server.port}`, 500).catch(
      (error: unknown) => error,
    );
    expect(causesOf(refused)).toMatch(/self-signed certificate|unable to verify/);
  });

  test('a file that is not there is named', async () => {
    const refused = openAt('rediss://127.0.0.1:1?sslrootcert=/no/such/ca.pem', 500);
    await expect(refused).rejects.toThrow('/no/such/ca.pem');
  });
});

describe('with a password', () => {
  test('of the server or of a user who may do no more than is needed, into a database of its number', async () => {
    const server = await start(
      { ...inMemory, requirepass: 'p@ss:word' },
      { connect: { password: 'p@ss:word' } },
    );
    await useOnce(await openAt(`redis://:p%40ss%3Aword@127.0.0.1:${server.port}/7`));
    const prefix = `test-${randomUUID()}`;
    const allowed = ['+eval', '+evalsha', '+info', '+xlen', '+xrange', '+xtrim', '+config|get'];
    const inScripts = [
      ...['+time', '+hmget', '+hset', '+hget', '+hgetall', '+hdel', '+hincrby', '+pexpire', '+del'],
      ...['+exists', '+type', '+zadd', '+zrem', '+zcard', '+zcount', '+zrange', '+zrevrange'],
      ...[
        '+zrangebyscore',
        '+zrangebylex',
        '+zrevrangebylex',
        '+zmscore',
        '+xadd',
        '+xdel',
        '+xinfo',
      ],
    ];
    const rules = ['on', '>secret', `~{${prefix}}:*`, '-@all', ...allowed, ...inScripts];
    await server.client.call('ACL', 'SETUSER', 'holdfast', ...rules, '+select', '+client|setname');
    const beside = await sqliteLedger();
    closing.push(() => beside.remove());
    const url = `redis://holdfast:secret@127.0.0.1:${server.port}/2`;
    const subject = await openRedis(beside, {
      url,
      prefix,
      isClockPinned: false,
      isUrlForTests: false,
    });
    closing.push(() => subject.store.close());
    const at = drive(subject);
    await useOnce(at);
    const over = await at.grant({ resource: fresh(), owner: 'a', ttlMs: 100 });
    await at.putHold({ resource: fresh() });
    await patiently(async () => {
      const { outcome } = await at.store.endedLeases({ sinceMs: null, limit: 10 });
      if (outcome.length === 0) throw new Error('It is not over yet');
      return outcome;
    });
    const forced = await at.grant({ resource: fresh(), ...long });
    await at.forceRelease(forced);
    expect(await at.renew(forced)).toMatchObject({ kind: 'lost' });
    await at.store.noteEnds({ holder: 'one', turnMs: 1, leases: [over] });
    await at.list({ filter: {}, sortField: 'resource', isDescending: true });
    const nowMs = Date.now();
    const asker = { owner: 'b', client: null, attempts: 1, firstAtMs: nowMs, lastAtMs: nowMs };
    const held = await at.grant({ resource: fresh(), ...long });
    await at.store.noteDenials([{ resource: held.resource, ...asker, holder: held }]);
    await at.store.tidyDenials();
    expect((await at.store.askers(held.resource)).outcome).toHaveLength(1);
    await at.store.noteRenewals([{ lease: held, count: 1 }]);
    expect((await at.list({ filter: { askedMin: 1 } })).leases).toHaveLength(1);
    const old = { holder: 'one', turnMs: 1, retentionMs: 1, batchMax: 100, after: null };
    expect(await at.store.forgetOld(old)).toMatchObject({ isOurTurn: true, locks: 1 });
  });

  test('that is wrong, the start fails with the reason', async () => {
    const server = await start(
      { ...inMemory, requirepass: 'right' },
      { connect: { password: 'right' } },
    );
    for (const wrong of [':wrong@', '']) {
      const url = `redis://${wrong}127.0.0.1:${server.port}`;
      const refused = await openAt(url, 500).catch((error: unknown) => error);
      expect(causesOf(refused)).toMatch(/WRONGPASS|NOAUTH/);
    }
  });
});

test('by sentinels, a failover is followed: what was replicated stays, and tokens rise', async () => {
  const password = 'of-the-servers';
  const guarded = { ...durable, requirepass: password, masterauth: password };
  const connect = { connect: { password } };
  const primary = await start(guarded, connect);
  const replica = await start({ ...guarded, replicaof: `127.0.0.1 ${primary.port}` }, connect);
  const watching = {
    'sentinel monitor locks': `127.0.0.1 ${primary.port} 2`,
    'sentinel auth-pass locks': password,
    'sentinel down-after-milliseconds locks': '500',
    'sentinel failover-timeout locks': '3000',
    requirepass: 'of-the-sentinels',
    'sentinel sentinel-pass': 'of-the-sentinels',
  };
  const sentinels = [];
  for (let count = 0; count < 3; count += 1) {
    const extras = { connect: { password: 'of-the-sentinels' }, isSentinel: true };
    sentinels.push(await start(watching, extras));
  }
  await untilAllKnow(sentinels);
  const hosts = sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',');
  const at = await openAt(
    `redis+sentinel://:${password}@${hosts}/locks/1?sentinelpassword=of-the-sentinels`,
  );
  await useOnce(at);
  const before = await at.grant({ resource: fresh(), ...long });
  expect(await primary.client.wait(1, 10_000)).toBe(1);

  await primary.kill();
  const next = await patiently(() => at.grant({ resource: fresh(), ...long }));
  expect(next.fencingToken).toBeGreaterThan(before.fencingToken);
  expect((await replica.client.role())[0]).toBe('master');
  expect(await at.inspect(before.resource)).toEqual(before);
  await useOnce(at);
}, 90_000);

/** Each sentinel has found the replica and the two others. */
async function untilAllKnow(sentinels: readonly RedisServer[]): Promise<void> {
  for (const { client } of sentinels) {
    await poll(
      async () => {
        const told = (await client.call('SENTINEL', 'MASTER', 'locks')) as readonly string[];
        const valueOf = (name: string) => told[told.indexOf(name) + 1];
        const isComplete = valueOf('num-slaves') === '1' && valueOf('num-other-sentinels') === '2';
        return isComplete ? true : null;
      },
      { withinMs: 30_000, describe: () => 'the sentinels do not find one another' },
    );
  }
}

test('in a cluster, the slot of the locks is found, and its failover followed', async () => {
  const settings = {
    ...durable,
    'cluster-enabled': 'yes',
    'cluster-node-timeout': '1000',
    'cluster-replica-validity-factor': '0',
  };
  const nodes = [];
  for (let count = 0; count < 4; count += 1) nodes.push(await start(settings));
  const [first, , , spare] = nodes;
  if (first === undefined || spare === undefined) throw new Error('There are no nodes');
  const owners = nodes.slice(0, 3);
  for (const [index, { client }] of owners.entries()) {
    const [from, to] = [index * 5_461, index === 2 ? 16_383 : (index + 1) * 5_461 - 1];
    await client.call('CLUSTER', 'ADDSLOTSRANGE', from, to);
    await client.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
  }
  for (const { port } of nodes.slice(1)) await first.client.cluster('MEET', '127.0.0.1', port);
  await untilWhole(nodes);

  const prefix = `test-${randomUUID()}`;
  const slot = await first.client.cluster('KEYSLOT', `{${prefix}}:lock:`);
  const owner = owners[Math.min(2, Math.floor(slot / 5_461))];
  if (owner === undefined) throw new Error('The slot has no node');
  await spare.client.call('CLUSTER', 'REPLICATE', await owner.client.cluster('MYID'));
  await poll(
    async () =>
      (await spare.client.info('replication')).includes('master_link_status:up') ? true : null,
    { withinMs: 30_000, describe: () => 'the replica is not in step' },
  );

  const beside = await sqliteLedger();
  closing.push(() => beside.remove());
  // The first node may not be the slot's: then it says who is.
  const url = `redis+cluster://${owners.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
  const options = { url, prefix, isClockPinned: false, isUrlForTests: false };
  const subject = await openRedis(beside, options);
  closing.push(() => subject.store.close());
  const at = drive(subject);
  await useOnce(at);
  const before = await at.grant({ resource: fresh(), ...long });
  expect(await owner.client.wait(1, 10_000)).toBe(1);

  await owner.kill();
  const next = await patiently(() => at.grant({ resource: fresh(), ...long }));
  expect(next.fencingToken).toBeGreaterThan(before.fencingToken);
  expect(await at.inspect(before.resource)).toEqual(before);
  await useOnce(at);
}, 90_000);

async function untilWhole(nodes: readonly RedisServer[]): Promise<void> {
  for (const { client } of nodes) {
    await poll(
      async () => {
        const told = await client.cluster('INFO');
        const isWhole = told.includes('cluster_state:ok') && told.includes('cluster_known_nodes:4');
        return isWhole ? true : null;
      },
      { withinMs: 30_000, describe: () => 'the cluster is not whole' },
    );
  }
}

/** All that went wrong, from the outside in. */
function causesOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${causesOf(error.cause)}`;
}
