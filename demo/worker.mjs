// One worker process: makes reports, each under a lock, in the way of its role. Started by crew.mjs.
import { hostname } from 'node:os';

import { createLockClient } from './lock-client.mjs';
import { openRecords } from './records.mjs';
import { makeReport } from './report-job.mjs';
import { meetSharedClock } from './shared-clock.mjs';
import { between, pause, randomOf } from './waiting.mjs';

const stopping = new AbortController();

process.on('message', (message) => {
  if (message.kind === 'start') void work(message);
  else if (message.kind === 'stop') stopping.abort();
});
// Ctrl-C reaches the whole process group: the parent decides what becomes of it.
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit(1));

async function work({ role, runId, baseUrl, recordFile, resume }) {
  const clock = await meetSharedClock(process);
  const records = openRecords(recordFile, { worker: role.name, clock, tell: count });
  const client = createLockClient(baseUrl);
  const holding = new Set();
  if (role.crashAfterMs !== undefined) crashLater(role.crashAfterMs, holding);

  let reports = 0;
  const report = (resource, insists) => {
    reports += 1;
    const owner = `${runId}.${role.name}.${process.pid}.${reports}`;
    const metadata = { host: hostname(), pid: String(process.pid), job: 'nightly-report' };
    const call = { resource, owner, metadata, ttlMs: role.ttlMs, insists };
    const workMs = between(...role.workMs);
    const isForgotten = Math.random() < role.forgets;
    const { signal } = stopping;
    return makeReport({ client, records, holding, call, workMs, isForgotten, signal });
  };

  // What this job was at when it crashed comes first, and it waits for those leases to run out.
  const unfinished = [...resume];
  const slot = async () => {
    await pause(between(0, 1_500), stopping.signal);
    while (!stopping.signal.aborted) {
      const resumed = unfinished.shift();
      await report(resumed ?? randomOf(role.resources), resumed !== undefined || role.insists);
      await pause(between(100, 500), stopping.signal);
    }
  };
  await Promise.all(Array.from({ length: role.slots }, slot));
  records.close();
  process.disconnect();
}

function count(what) {
  if (process.connected) process.send({ kind: 'count', what }, () => undefined);
}

/** Killed as by the kernel: no handler runs, nothing is released. */
function crashLater(crashAfterMs, holding) {
  setTimeout(
    () => {
      setInterval(() => {
        if (holding.size > 0 && !stopping.signal.aborted) process.kill(process.pid, 'SIGKILL');
      }, 20).unref();
    },
    between(...crashAfterMs),
  ).unref();
}
