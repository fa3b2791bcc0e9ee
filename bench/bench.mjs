// `npm run bench`: how many lock calls a second each door of the service answers, beside a bare HTTP server that does
// nothing. See README.md for the method. It asserts nothing about speed, and fails if a call was not answered as it must.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import {
  assertAllGranted,
  assertAllReleased,
  assertAnswered,
  assertPairsEven,
  countRows,
} from './accounts.mjs';
import { pickDriver } from './drivers.mjs';
import { describeMachine } from './machine.mjs';
import { readOptions } from './options.mjs';
import { buildIfStale, captureAnswer, peers, startPeer } from './peers.mjs';
import { summarise, toMarkdown } from './report.mjs';

const options = readOptions();
const topUpsMax = 2;
const root = path.join(import.meta.dirname, '..');
const driver = await pickDriver(options.driver);
let running = null;
let folder = null;

process.on('exit', cleanUp);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));

buildIfStale(root);
mkdirSync(options.dir, { recursive: true });
folder = mkdtempSync(path.join(options.dir, 'bench-'));
const machine = describeMachine({ folder, driver });
const samples = [];
const answerFile = path.join(folder, 'answer.json');
await withPeer(peers.start, async (url) =>
  writeFileSync(answerFile, JSON.stringify(await captureAnswer(url))),
);

for (let round = 1; round <= options.rounds; round += 1) {
  for (const peer of inTurn(Object.values(peers), round)) {
    console.error(`round ${round} of ${options.rounds}: ${peer.title}`);
    await withPeer(peer, (url) => measure(peer, round, url));
  }
}

const summary = summarise(samples, options);
console.log(toMarkdown({ machine, summary, options }));
if (options.json !== null) {
  writeFileSync(
    options.json,
    `${JSON.stringify({ machine, options, summary, samples }, null, 2)}\n`,
  );
}

/** Another peer begins in each round, so that a machine that slows down does not always hurt the same one. */
function inTurn(list, round) {
  const shift = (round - 1) % list.length;
  return [...list.slice(shift), ...list.slice(0, shift)];
}

/** Alone on the machine, on a free port, with a database of its own. */
async function withPeer(peer, use) {
  const databaseFolder = mkdtempSync(path.join(folder, 'db-'));
  running = await startPeer(peer, { root, databaseFolder, answerFile });
  try {
    await use(running.url);
  } finally {
    await running.stop();
    running = null;
    rmSync(databaseFolder, { recursive: true, force: true });
  }
}

async function measure(peer, round, url) {
  await pairs(peer, { url, prefix: 'warm:', connections: 16, seconds: options.warmSeconds });
  for (const connections of options.connections) {
    const { seconds } = options;
    const call = { url, prefix: `bench:${connections}:lease:`, connections, seconds };
    const keep = (workload, result) =>
      samples.push({ peer: peer.key, round, connections, workload, ...result });
    keep('acquire', await acquires(peer, { ...call, seconds: seconds * 2 }));
    keep('release', await releases(peer, call));
    keep('pair', await pairs(peer, { ...call, prefix: `bench:${connections}:pair:` }));
  }
}

async function acquires(peer, run) {
  const result = await driver.drive({ ...run, workload: 'acquire' });
  assertAnswered(result, 'acquire');
  if (peer.keepsLocks) assertAllGranted(run, result, await countRows(run));
  return result;
}

/** Of the locks that the acquires before have left. They had twice the time; should that not suffice, there are more. */
async function releases(peer, run) {
  for (let topUps = 0; ; topUps += 1) {
    const before = peer.keepsLocks ? await countRows(run) : 0;
    const result = await driver.drive({ ...run, workload: 'release' });
    const hasRunOut = result.refused > 0 && result.calls > before;
    if (!hasRunOut || topUps === topUpsMax) {
      assertAnswered(result, 'release');
      if (peer.keepsLocks) assertAllReleased(run, result, before, await countRows(run));
      return result;
    }
    await driver.drive({ ...run, seconds: run.seconds * 4, workload: 'acquire' });
  }
}

async function pairs(peer, run) {
  const result = await driver.drive({ ...run, workload: 'pair' });
  assertAnswered(result, 'pair');
  if (peer.keepsLocks) assertPairsEven(run, await countRows(run));
  return result;
}

function cleanUp() {
  running?.kill();
  if (folder !== null) rmSync(folder, { recursive: true, force: true });
}
