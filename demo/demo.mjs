// `npm run demo`: worker processes run a nightly-report job through the API of a service that is up, some of them badly.
// At the end their own records and the service's history must agree that no two leases ever overlapped.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { contestedResource, longestTtlMs, reportResources, workerRoles } from './cast.mjs';
import { createCrew } from './crew.mjs';
import { createReader } from './history-reader.mjs';
import { formatElapsed, printOutcome, progressLine } from './print.mjs';
import { readRecords } from './records.mjs';
import { findProblems } from './verify.mjs';

const baseUrl = (process.env.HOLDFAST_URL ?? 'http://127.0.0.1:3000').replace(/\/+$/, '');
const seconds = readSeconds();
const runId = `nightly-${randomBytes(2).toString('hex')}`;
const resources = [...reportResources, contestedResource];

const reader = createReader(baseUrl);
const startedAtMs = await firstAnswer();
const folder = mkdtempSync(path.join(tmpdir(), 'holdfast-demo-'));
const crew = createCrew({ baseUrl, folder, runId, roles: workerRoles });
process.on('exit', () => crew.killAll());

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    if (interrupted.signal.aborted) process.exit(130);
    interrupted.abort();
  });
}

try {
  process.exitCode = await run();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The exit code. */
async function run() {
  console.log(
    `${workerRoles.length} worker processes lock ${resources.length} reports at ${baseUrl} for ${seconds} s. Watch them at ${baseUrl}/locks\n`,
  );
  crew.start();
  await watch();
  await crew.stop();
  if (interrupted.signal.aborted) {
    console.log('\nInterrupted. All workers have ended; nothing was checked.');
    return 130;
  }
  return conclude();
}

/** One line about how things stand, every few seconds, until the time is over or the run is interrupted. */
async function watch() {
  const stepSeconds = 5;
  for (let elapsed = 0; elapsed < seconds && !interrupted.signal.aborted;) {
    const waitSeconds = Math.min(stepSeconds, seconds - elapsed);
    await delay(waitSeconds * 1000, null, { signal: interrupted.signal }).catch(() => undefined);
    if (interrupted.signal.aborted) return;
    elapsed += waitSeconds;
    const counts = await reader.counts(runId).catch(() => null);
    console.log(`  ${formatElapsed(elapsed)}  ${progressLine(counts, crew.tally())}`);
  }
}

async function conclude() {
  console.log('\nThe workers have ended. Waiting for the leases that nobody released to run out …');
  try {
    await reader.untilNoneActive(runId, longestTtlMs + 3_000);
    const expiredNow = (await reader.counts(runId)).expired;
    const events = await reader.eventsOf(resources, startedAtMs);
    const records = readRecords(folder);
    const findings = findProblems({ records, events, runId });
    const problems = [...findings.problems, ...crew.unexpectedEnds()];
    printOutcome({ findings, problems, crashes: crew.tally().crashed, expiredNow, resources });
    return problems.length === 0 ? 0 : 1;
  } catch (error) {
    console.error(
      `The run could not be checked, since the service could not be read: ${error.message}.`,
    );
    return 1;
  }
}

/** The store's time, once the service answers. */
async function firstAnswer() {
  try {
    return await reader.storeNowMs();
  } catch (error) {
    console.error(
      `No Holdfast answers at ${baseUrl} (${error.message}). Start it in another terminal with \`npm start\`, or set HOLDFAST_URL to where it is.`,
    );
    process.exit(1);
  }
}

function readSeconds() {
  const usage = 'Usage: npm run demo -- [--seconds N]   (10 to 3600, default 60)';
  try {
    const { values } = parseArgs({
      options: { seconds: { type: 'string', default: '60' }, help: { type: 'boolean' } },
    });
    const number = Number(values.seconds);
    const isFit = Number.isInteger(number) && number >= 10 && number <= 3600;
    if (isFit && !values.help) return number;
    console.log(usage);
    process.exit(values.help ? 0 : 1);
  } catch (error) {
    console.error(`${error.message}\n${usage}`);
    process.exit(1);
  }
}
