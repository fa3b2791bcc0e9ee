// `node bench/redis.mjs`: durable acquires a second with the locks in Redis, beside `SET NX PX` by ioredis on the same
// server without our service, in the same run and by turns. Options are those of `bench.mjs`. It asserts nothing about
// speed, and fails if a lock was not granted.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { Redis } from 'ioredis';

import { assertAnswered } from './accounts.mjs';
import { pickDriver } from './drivers.mjs';
import { describeMachine } from './machine.mjs';
import { readOptions } from './options.mjs';
import { buildIfStale, freePort, peers, startPeer } from './peers.mjs';

const options = readOptions();
const root = path.join(import.meta.dirname, '..');
const driver = await pickDriver(options.driver);
let folder = null;
let redis = null;
let running = null;

process.on('exit', cleanUp);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));

buildIfStale(root);
mkdirSync(options.dir, { recursive: true });
folder = mkdtempSync(path.join(options.dir, 'bench-redis-'));
const machine = describeMachine({ folder, driver });
const samples = [];

for (const appendfsync of ['always', 'everysec']) {
  for (let round = 1; round <= options.rounds; round += 1) {
    const contenders = [measureService, measurePlain];
    if (round % 2 === 0) contenders.reverse();
    for (const measure of contenders) await onFreshRedis({ appendfsync, round }, measure);
  }
}
print();
if (options.json !== null) {
  writeFileSync(options.json, `${JSON.stringify({ machine, options, samples }, null, 2)}\n`);
}

/** A Redis of its own for each measurement, so that none pays for the keys of another. */
async function onFreshRedis({ appendfsync, round }, measure) {
  const data = mkdtempSync(path.join(folder, 'data-'));
  const port = await freePort();
  const settings = { port, bind: '127.0.0.1', dir: data, save: '', appendonly: 'yes', appendfsync };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  redis = spawn('redis-server', args, { stdio: 'ignore' });
  const client = new Redis({ port, retryStrategy: () => 50 });
  client.on('error', () => undefined);
  await client.ping();
  console.error(`appendfsync ${appendfsync}, round ${round}: ${measure.name}`);
  await measure({ port, data, keep: (sample) => samples.push({ appendfsync, round, ...sample }) });
  client.disconnect();
  redis.kill('SIGKILL');
  redis = null;
  rmSync(data, { recursive: true, force: true });
  await delay(200);
}

async function measureService({ port, data, keep }) {
  const environment = { LOCK_STORE_URL: `redis://127.0.0.1:${port}` };
  running = await startPeer(peers.start, { root, databaseFolder: data, environment });
  const warm = { url: running.url, workload: 'pair', prefix: 'warm:', connections: 16 };
  await driver.drive({ ...warm, seconds: options.warmSeconds });
  for (const connections of options.connections) {
    const prefix = `bench:${connections}:lease:`;
    const run = { url: running.url, workload: 'acquire', prefix, connections };
    const result = await driver.drive({ ...run, seconds: options.seconds });
    assertAnswered(result, 'acquire');
    keep({ peer: 'service', connections, perSecond: result.callsPerSecond });
  }
  await running.stop();
  running = null;
}

/** As many callers as connections, each waiting for its answer before it asks again, over one client as is usual. */
async function measurePlain({ port, keep }) {
  const client = new Redis({ port });
  for (const connections of options.connections) {
    const untilMs = performance.now() + options.seconds * 1000;
    const startedMs = performance.now();
    let calls = 0;
    const caller = async () => {
      while (performance.now() < untilMs) {
        const granted = await client.set(
          `plain:${randomUUID()}`,
          randomUUID(),
          'PX',
          3_600_000,
          'NX',
        );
        if (granted !== 'OK') throw new Error('A free name was not granted');
        calls += 1;
      }
    };
    await Promise.all(Array.from({ length: connections }, caller));
    const perSecond = (calls * 1000) / (performance.now() - startedMs);
    keep({ peer: 'plain', connections, perSecond });
  }
  client.disconnect();
}

function print() {
  console.log(
    `${machine.processor}, ${machine.cores} cores shared with the load, Node ${machine.node}, ${machine.driver}; load before ${machine.loadBefore.toFixed(1)}.`,
  );
  console.log(`Medians of ${options.rounds} rounds of ${options.seconds} s.\n`);
  console.log('| acquires /s | connections | Holdfast on Redis | `SET NX PX` by ioredis | ratio |');
  console.log('| --- | ---: | ---: | ---: | ---: |');
  for (const appendfsync of ['always', 'everysec']) {
    for (const connections of options.connections) {
      const [service, plain] = ['service', 'plain'].map((peer) =>
        median(
          samples
            .filter((one) => one.appendfsync === appendfsync && one.peer === peer)
            .filter((one) => one.connections === connections)
            .map(({ perSecond }) => perSecond),
        ),
      );
      const cells = [service, plain].map((number) => Math.round(number).toLocaleString('en-US'));
      const ratio = (service / plain).toPrecision(2);
      console.log(
        `| appendfsync ${appendfsync} | ${connections} | ${cells.join(' | ')} | ${ratio} × |`,
      );
    }
  }
}

function median(numbers) {
  const sorted = [...numbers].sort((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function cleanUp() {
  running?.kill();
  redis?.kill('SIGKILL');
  if (folder !== null) rmSync(folder, { recursive: true, force: true });
}
