// What makes the load: wrk if it is installed, else autocannon. Both are closed loops, one call at a time on each
// connection.
import { execFile, spawnSync } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

import { acquireBody, jsonHeaders, releaseBody } from './lock-body.mjs';

const wrk = 'wrk';
const script = path.join(import.meta.dirname, 'lock-calls.lua');

/** @param wanted `wrk`, `autocannon`, or null for whichever is there. */
export async function pickDriver(wanted) {
  const found = spawnSync(wrk, ['--version'], { encoding: 'utf8' });
  const hasWrk = found.error === undefined;
  if (wanted === wrk && !hasWrk) throw new Error('wrk is not installed');
  if (hasWrk && wanted !== 'autocannon') {
    const version = /\d+\.\d+\.\d+/.exec(found.stdout)?.[0] ?? '';
    return { name: `wrk ${version}`.trim(), drive: driveByWrk };
  }
  const { default: autocannon } = await import('autocannon');
  return { name: 'autocannon', drive: (run) => driveByAutocannon(autocannon, run) };
}

async function driveByWrk({ url, workload, prefix, connections, seconds }) {
  const { stdout } = await promisify(execFile)(wrk, [
    '--threads',
    '1',
    '--connections',
    String(connections),
    '--duration',
    `${seconds}s`,
    '--timeout',
    '10s',
    '--script',
    script,
    url,
    '--',
    workload,
    prefix,
  ]);
  const result = /^RESULT (.*)$/m.exec(stdout)?.[1];
  if (result === undefined) throw new Error(`wrk did not report:\n${stdout}`);
  return withRate(JSON.parse(result));
}

async function driveByAutocannon(autocannon, { url, workload, prefix, connections, seconds }) {
  const latencies = [];
  let refused = 0;
  let names = 0;
  const pathOf = (number) => `/api/locks/${prefix}${number}`;
  const acquire = (request, context) => {
    context.number = names += 1;
    return { ...request, method: 'POST', path: pathOf(names), body: acquireBody };
  };
  const release = (request, context) => {
    const number = context.number ?? (names += 1);
    return { ...request, method: 'DELETE', path: pathOf(number), body: releaseBody };
  };
  const calls = { acquire: [acquire], release: [release], pair: [acquire, release] }[workload];
  const startedMs = performance.now();
  const instance = autocannon({
    url,
    connections,
    duration: seconds,
    timeout: 10,
    requests: calls.map((setupRequest) => ({ headers: jsonHeaders, setupRequest })),
  });
  instance.on('response', (_client, status, _bytes, ms) => {
    latencies.push(ms);
    if (status < 200 || status > 299) refused += 1;
  });
  const { errors, timeouts } = await instance;
  const elapsedSeconds = (performance.now() - startedMs) / 1000;
  latencies.sort((one, other) => one - other);
  const at = (share) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))];
  return withRate({
    calls: latencies.length,
    seconds: elapsedSeconds,
    p50Ms: at(0.5) ?? 0,
    p99Ms: at(0.99) ?? 0,
    refused,
    broken: errors + timeouts,
  });
}

function withRate(result) {
  return { ...result, callsPerSecond: result.calls / result.seconds };
}
