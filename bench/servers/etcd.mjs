// etcd by its HTTP gateway: one member, its defaults, each put flushed before it is answered.
import { spawnSync } from 'node:child_process';
import path from 'node:path';

import { runWrk } from '../load/wrk.mjs';
import { answersOk, freePort, startProcess } from './processes.mjs';

const prefixBytes = 30;

/** Its version, or null where it is not installed. */
export function etcdVersion() {
  const found = spawnSync('etcd', ['--version'], { encoding: 'utf8' });
  return /etcd Version: (\S+)/.exec(found.stdout ?? '')?.[1] ?? null;
}

export async function startEtcd({ title, folder }) {
  const [client, peer] = [await freePort(), await freePort()];
  const [url, peerUrl] = [client, peer].map((port) => `http://127.0.0.1:${port}`);
  const flags = {
    'data-dir': path.join(folder, 'etcd'),
    'listen-client-urls': url,
    'advertise-client-urls': url,
    'listen-peer-urls': peerUrl,
    'initial-advertise-peer-urls': peerUrl,
    'initial-cluster': `default=${peerUrl}`,
  };
  const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
  const isReady = () => answersOk(`${url}/health`);
  const how = { command: 'etcd', args, cwd: folder, errors: 'ignore' };
  const server = await startProcess({ title, ...how, isReady });
  return { ...server, url };
}

/** One lease for all keys of a run: a service that asked for one per lock would make two calls where this makes one. */
export async function putIfAbsent(url, { prefix, connections, seconds }) {
  const { ID } = await post(url, '/v3/lease/grant', { TTL: 3600 });
  const args = [encode(prefix), ID];
  const result = await runWrk({ url, script: 'etcd-calls.lua', args, connections, seconds });
  return { ...result, callsPerSecond: result.calls / result.seconds };
}

export async function countKeys(url, prefix) {
  const key = Buffer.from(encode(prefix), 'base64');
  const end = Buffer.from(key);
  end[end.length - 1] += 1;
  const range = { key: key.toString('base64'), range_end: end.toString('base64') };
  return Number((await post(url, '/v3/kv/range', { ...range, count_only: true })).count ?? 0);
}

/** A multiple of three bytes, so that what follows it in base64 is its own. */
function encode(prefix) {
  return Buffer.from(prefix.padEnd(prefixBytes, '.')).toString('base64');
}

async function post(url, pathname, body) {
  const response = await fetch(`${url}${pathname}`, { method: 'POST', body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`etcd answered ${response.status}: ${await response.text()}`);
  return response.json();
}
