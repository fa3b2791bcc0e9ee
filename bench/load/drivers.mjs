// What makes the load on Holdfast: wrk if it is installed, else autocannon. Both are closed loops, one call at a time on
// each connection.
import { acquireBody, jsonHeaders, releaseBody } from './lock-body.mjs';
import { runWrk, wrkVersion } from './wrk.mjs';

/** @param wanted `wrk`, `autocannon`, or null for whichever is there. */
export async function pickDriver(wanted) {
  const version = wrkVersion();
  if (wanted === 'wrk' && version === null) throw new Error('wrk is not installed');
  if (version !== null && wanted !== 'autocannon') {
    return { name: `wrk ${version}`.trim(), drive: (run) => overServers(run, driveByWrk) };
  }
  const { default: autocannon } = await import('autocannon');
  const one = (run) => driveByAutocannon(autocannon, run);
  return { name: 'autocannon', drive: (run) => overServers(run, one) };
}

/**
 * The connections are shared out evenly over the servers of a run, each with names of its own unless all want one name.
 *
 * @returns the sum of their calls; for latencies the mean of the medians and the worst p99.
 */
async function overServers({ urls, prefix, connections, ...run }, drive) {
  const shares = urls.map((_, at) => Math.floor((connections + at) / urls.length));
  const results = await Promise.all(
    urls.flatMap((url, at) => {
      if (shares[at] === 0) return [];
      const isShared = urls.length === 1 || run.workload === 'hot';
      const name = isShared ? prefix : `${prefix}${at}:`;
      return [drive({ ...run, url, prefix: name, connections: shares[at] })];
    }),
  );
  const sum = (member) => results.reduce((total, one) => total + one[member], 0);
  return {
    calls: sum('calls'),
    callsPerSecond: results.reduce((total, { calls, seconds }) => total + calls / seconds, 0),
    p50Ms: sum('p50Ms') / results.length,
    p99Ms: Math.max(...results.map(({ p99Ms }) => p99Ms)),
    refused: sum('refused'),
    broken: sum('broken'),
  };
}

function driveByWrk({ url, workload, prefix, key, connections, seconds }) {
  const args = [workload, prefix, ...(key === null ? [] : [key])];
  return runWrk({ url, script: 'lock-calls.lua', args, connections, seconds });
}

async function driveByAutocannon(autocannon, { url, workload, prefix, key, connections, seconds }) {
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
  const hot = (request) => ({
    ...request,
    method: 'POST',
    path: pathOf('hot'),
    body: acquireBody.replace('worker-1', 'worker-2'),
  });
  const calls = {
    acquire: [acquire],
    release: [release],
    pair: [acquire, release],
    hot: [hot],
  }[workload];
  const startedMs = performance.now();
  const instance = autocannon({
    url,
    connections,
    duration: seconds,
    timeout: 10,
    requests: calls.map((setupRequest) => ({ headers: jsonHeaders(key), setupRequest })),
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
  return {
    calls: latencies.length,
    seconds: elapsedSeconds,
    p50Ms: at(0.5) ?? 0,
    p99Ms: at(0.99) ?? 0,
    refused,
    broken: errors + timeouts,
  };
}
