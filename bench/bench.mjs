// `npm run bench`: how many lock calls a second the service answers, beside what people would use instead and beside
// servers that do nothing. See README.md for the method. It asserts nothing about speed, and fails if a call was not
// answered as it must.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import {
  assertAllGranted,
  assertAllReleased,
  assertAnswered,
  assertPairsEven,
} from './accounts.mjs';
import { pickDriver } from './load/drivers.mjs';
import { acquireBody, jsonHeaders } from './load/lock-body.mjs';
import { describeMachine } from './machine.mjs';
import { readOptions } from './options.mjs';
import { allPeers, whyNot } from './peers.mjs';
import { summarise, toMarkdown } from './report.mjs';
import { usageOf } from './usage.mjs';

const options = readOptions();
const topUpsMax = 2;
const root = path.join(import.meta.dirname, '..');
const driver = await pickDriver(options.driver);
let folder = null;

process.on('exit', () => {
  if (folder !== null) rmSync(folder, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));

buildIfStale();
mkdirSync(options.dir, { recursive: true });
folder = makeFolder(path.join(options.dir, 'bench-'));
const machine = describeMachine({ folder, driver });
const skipped = options.peers.flatMap((peer) => {
  const reason = whyNot(peer);
  return reason === null ? [] : [{ title: peer.title, reason }];
});
const peers = options.peers.filter((peer) => whyNot(peer) === null);
const samples = [];
const answerFile = path.join(folder, 'answer.json');
if (peers.some(({ key }) => key === 'bare')) {
  await withPeer(allPeers({ against: null })[0], async (peer) =>
    writeFileSync(answerFile, JSON.stringify(await captureAnswer(peer))),
  );
}

for (let round = 1; round <= options.rounds; round += 1) {
  for (const peer of inTurn(peers, round)) {
    console.error(`round ${round} of ${options.rounds}: ${peer.title}`);
    await withPeer(peer, (server) => measure(peer, round, server));
  }
}

const summary = summarise(samples, { connections: options.connections, peers });
console.log(toMarkdown({ machine, summary, peers, skipped, options }));
if (options.json !== null) {
  const result = { machine, options, skipped, summary, samples };
  writeFileSync(options.json, `${JSON.stringify(result, null, 2)}\n`);
}

function buildIfStale() {
  const { status } = spawnSync(
    process.execPath,
    [path.join(root, 'scripts/build.mjs'), '--if-stale'],
    // The build's own lines go to the terminal, not into the table.
    { cwd: root, stdio: ['ignore', process.stderr, process.stderr] },
  );
  if (status !== 0) {
    console.error('The build failed, so there is nothing to measure.');
    process.exit(1);
  }
}

/** Another peer begins in each round, so that a machine that slows down does not always hurt the same one. */
function inTurn(list, round) {
  const shift = (round - 1) % list.length;
  return [...list.slice(shift), ...list.slice(0, shift)];
}

/** Alone on the machine, with a database of its own. */
async function withPeer(peer, use) {
  const own = makeFolder(path.join(folder, 'peer-'));
  const server = await peer.start({ root, folder: own, driver, answerFile });
  await use(server);
  await server.stop();
  rmSync(own, { recursive: true, force: true });
}

/** Open to be passed through, since PostgreSQL runs as a user of its own where the caller is root. */
function makeFolder(prefix) {
  const made = mkdtempSync(prefix);
  chmodSync(made, 0o755);
  return made;
}

async function measure({ key, workloads }, round, server) {
  const canPair = workloads.includes('pair');
  await (canPair ? pairs : acquires)(server, {
    prefix: 'warm:',
    connections: 16,
    seconds: options.warmSeconds,
  });
  for (const connections of options.connections) {
    const { seconds } = options;
    const call = { prefix: `bench:${connections}:lease:`, connections, seconds };
    const keep = (workload, result) =>
      samples.push({ peer: key, round, connections, workload, ...result });
    keep('acquire', await acquires(server, { ...call, seconds: seconds * 2 }));
    if (workloads.includes('release')) keep('release', await releases(server, call));
    if (canPair) {
      keep('pair', await pairs(server, { ...call, prefix: `bench:${connections}:pair:` }));
    }
    if (workloads.includes('hot')) {
      keep('hot', await denials(server, { ...call, prefix: `bench:${connections}:` }));
    }
  }
}

/** With what the calls of one run cost the server in processor time, and the memory that it has at its end. */
async function drive(server, run) {
  const before = usageOf(server.pids);
  const result = await server.drive(run);
  const after = usageOf(server.pids);
  if (before === null || after === null) return result;
  const cpuMicros = ((after.cpuSeconds - before.cpuSeconds) * 1e6) / result.calls;
  return { ...result, cpuMicros, memoryMiB: after.memoryMiB };
}

async function acquires(server, run) {
  const result = await drive(server, { ...run, workload: 'acquire' });
  assertAnswered(result, 'acquire');
  if (server.countLocks !== null) {
    assertAllGranted(run, result, await server.countLocks(run.prefix));
  }
  return result;
}

/** Of the locks that the acquires before have left. They had twice the time; should that not suffice, there are more. */
async function releases(server, run) {
  for (let topUps = 0; ; topUps += 1) {
    const before = (await server.countLocks?.(run.prefix)) ?? 0;
    const result = await drive(server, { ...run, workload: 'release' });
    const hasRunOut = result.refused > 0 && result.calls > before;
    if (!hasRunOut || topUps === topUpsMax) {
      assertAnswered(result, 'release');
      if (server.countLocks !== null) {
        assertAllReleased(run, result, before, await server.countLocks(run.prefix));
      }
      return result;
    }
    await server.drive({ ...run, seconds: run.seconds * 4, workload: 'acquire' });
  }
}

async function pairs(server, run) {
  const result = await drive(server, { ...run, workload: 'pair' });
  assertAnswered(result, 'pair');
  if (server.countLocks !== null) assertPairsEven(run, await server.countLocks(run.prefix));
  return result;
}

/** One name that another owner holds: each call is denied, and told who has it. */
async function denials(server, run) {
  if (server.countLocks !== null) await acquire(server, `${run.prefix}hot`);
  const result = await drive(server, { ...run, workload: 'hot' });
  assertAnswered(result, 'hot');
  return result;
}

async function acquire({ url, key }, resource) {
  const response = await fetch(`${url}/api/locks/${resource}`, {
    method: 'POST',
    headers: jsonHeaders(key),
    body: acquireBody,
  });
  if (!response.ok) throw new Error(`${resource} was answered with ${response.status}`);
  return response;
}

/** A real answer to an acquire: its headers and body are what the bare server sends. */
async function captureAnswer(server) {
  const response = await acquire(server, 'bench:64:lease:10000');
  const addedByNode = new Set(['date', 'connection', 'keep-alive', 'content-length']);
  const headers = [...response.headers].filter(([name]) => !addedByNode.has(name));
  return { headers: Object.fromEntries(headers), body: await response.text() };
}
