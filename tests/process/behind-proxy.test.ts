import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

import { createApi, outcomeOf } from '../support/api';
import { fresh } from '../support/both-doors';
import { bearer, testKey } from '../support/callers';
import { send } from '../support/http';
import { createDatabase, freePort } from '../support/postgres-cluster';
import { startServer, type TestServer } from '../support/server';
import { deadline, poll } from '../support/waiting';

const haproxy = '/usr/sbin/haproxy';
const configuration = path.join(import.meta.dirname, '../../deploy/haproxy.cfg');
const ready = '/api/health/ready';

interface Proxy {
  readonly url: string;
  stop(): void;
}

/** HAProxy with the configuration that compose.yaml uses, in front of two addresses. */
async function startProxy(first: string, second: string): Promise<Proxy> {
  if (!existsSync(haproxy)) throw new Error(`This needs ${haproxy} (Debian: haproxy)`);
  const listen = `127.0.0.1:${await freePort()}`;
  const addresses = { HOLDFAST_1: hostOf(first), HOLDFAST_2: hostOf(second) };
  const env = { NODE_ENV: 'test' as const, ...addresses, PROXY_LISTEN: listen };
  const child: ChildProcess = spawn(haproxy, ['-db', '-f', configuration], {
    env,
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  const url = `http://${listen}`;
  await poll(() => send(url, { method: 'GET', path: ready }).catch(() => null), {
    withinMs: 20_000,
    describe: () => 'the proxy takes no connection',
  });
  return { url, stop: () => void child.kill('SIGKILL') };
}

const hostOf = (url: string) => new URL(url).host;

describe('two instances behind the proxy of compose.yaml', () => {
  let instances: readonly [TestServer, TestServer];
  let proxy: Proxy;
  beforeAll(async () => {
    const database = { DATABASE_URL: await createDatabase(inject('postgresUrl')) };
    const environment = { ...database, HOLDFAST_TRUSTED_PROXIES: '127.0.0.1' };
    const start = () => startServer({ environment });
    instances = await Promise.all([start(), start()]);
    proxy = await startProxy(instances[0].url, instances[1].url);
  });
  afterAll(async () => {
    proxy.stop();
    await Promise.all(instances.map((instance) => instance.stop()));
  });

  test.each(['terraform/prod/network', 'a//b', 'a%2Fb', '../up', 'q?x=1#y', 'größe 锁', 'a+b;c=d'])(
    'the name %j means the same through it',
    async (name) => {
      const resource = `${fresh()}/${name}`;
      const lock = await createApi(proxy).grant(resource);
      expect(lock.resource).toBe(resource.normalize('NFC'));
      const direct = await createApi(instances[0]).call('inspect', { resource });
      expect(direct.value().lock.fencing_token).toBe(lock.fencing_token);
    },
  );

  test('what a caller says of its own connection is not believed', async () => {
    const request = { method: 'GET', path: ready, headers: { 'x-forwarded-proto': 'https' } };
    const seen = async (url: string) =>
      (await send(url, request)).headers['strict-transport-security'];
    // The instance itself believes its proxy's address, which is the test's as well.
    expect(await seen(instances[0].url)).toBeDefined();
    expect(await seen(proxy.url)).toBeUndefined();
  });

  test('calls go on by the other instance when one is killed, and a problem says when none is left', async () => {
    const api = createApi(proxy);
    await instances[0].kill('SIGKILL');
    for (let call = 0; call < 20; call += 1) await api.grant(fresh());
    await instances[1].kill('SIGTERM');
    const refused = await send(proxy.url, {
      method: 'POST',
      path: '/api/locks/a',
      headers: { 'content-type': 'application/json', ...bearer(testKey) },
      body: JSON.stringify({ owner: 'me', ttl_seconds: 30 }),
    });
    expect(refused.status).toBe(503);
    expect(refused.headers).toMatchObject({
      'content-type': 'application/problem+json',
      'retry-after': '1',
    });
    expect(JSON.parse(refused.body)).toMatchObject({ status: 503, code: 'store-unavailable' });
    expect(outcomeOf(await api.call('list'))).toBe('503 store-unavailable');
  });
});

test('an event stream passes the proxy piece by piece', async () => {
  const streams: ServerResponse[] = [];
  const upstream = createServer((incoming, outgoing) => {
    if (incoming.url === ready) return outgoing.end();
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
    outgoing.write('data: first\n\n');
    streams.push(outgoing);
    return undefined;
  });
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const proxy = await startProxy(url, url);
  const answer = await fetch(`${proxy.url}/api/events/stream`);
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  const next = async () => (await reader?.read())?.value;
  const late = () => 'the proxy keeps what was sent';
  // The second is sent after the first was read.
  expect(await deadline(next(), 5_000, late)).toBe('data: first\n\n');
  streams[0]?.write('data: second\n\n');
  expect(await deadline(next(), 5_000, late)).toBe('data: second\n\n');
  await reader?.cancel();
  proxy.stop();
  upstream.closeAllConnections();
  upstream.close();
});
