// The servers that are measured, each started alone and ended by its process id.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { benchKey, jsonHeaders, owner } from './lock-body.mjs';

const startMsMax = 60_000;
const stopMsMax = 15_000;

export const peers = {
  start: {
    key: 'start',
    title: '`npm start`',
    keepsLocks: true,
    argsOf: ({ root }) => ['--enable-source-maps', path.join(root, 'dist/server.mjs')],
  },
  next: {
    key: 'next',
    title: '`next start`',
    keepsLocks: true,
    argsOf: ({ root, port }) => [
      path.join(root, 'node_modules/next/dist/bin/next'),
      'start',
      '-H',
      '127.0.0.1',
      '-p',
      String(port),
    ],
  },
  bare: {
    key: 'bare',
    title: 'bare `node:http`',
    keepsLocks: false,
    argsOf: ({ port, answerFile }) => [
      path.join(import.meta.dirname, 'bare-server.mjs'),
      String(port),
      answerFile,
    ],
  },
};

export function buildIfStale(root) {
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

/** @returns its `url`, `stop()` (waits for its end) and `kill()` (at once). */
export async function startPeer(peer, { root, databaseFolder, answerFile, environment = {} }) {
  const port = await freePort();
  const child = spawn(process.execPath, peer.argsOf({ root, port, answerFile }), {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      NODE_ENV: 'production',
      NEXT_TELEMETRY_DISABLED: '1',
      HOST: '127.0.0.1',
      PORT: String(port),
      DATABASE_URL: `file:${path.join(databaseFolder, 'holdfast.db')}`,
      HOLDFAST_LOG_LEVEL: 'warn',
      HOLDFAST_API_KEY: benchKey,
      // One key makes all the load.
      HOLDFAST_CALLS_PER_SECOND: '1000000',
      ...environment,
    },
  });
  const url = `http://127.0.0.1:${port}`;
  const exited = once(child, 'exit');
  const kill = () => child.kill('SIGKILL');
  try {
    await untilReady(child, url, peer);
  } catch (error) {
    kill();
    throw error;
  }
  return { url, kill, stop: () => stop(child, exited) };
}

async function stop(child, exited) {
  if (child.exitCode !== null || child.signalCode !== null) {
    throw new Error('The server ended before its measurement did');
  }
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), stopMsMax);
  await exited;
  clearTimeout(late);
}

async function untilReady(child, url, peer) {
  for (const endMs = performance.now() + startMsMax; performance.now() < endMs; await delay(100)) {
    if (child.exitCode !== null) throw new Error(`${peer.title} ended before it was ready`);
    const response = await fetch(`${url}/api/health/ready`).catch(() => null);
    await response?.arrayBuffer();
    if (response?.ok) return;
  }
  throw new Error(`${peer.title} was not ready after ${startMsMax / 1000} s`);
}

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** A real answer to an acquire: its headers and body are what the bare server sends. */
export async function captureAnswer(url) {
  const response = await fetch(`${url}/api/locks/bench:64:lease:10000`, {
    method: 'POST',
    headers: jsonHeaders,
    body: JSON.stringify({ owner, ttl_seconds: 3600 }),
  });
  const addedByNode = new Set(['date', 'connection', 'keep-alive', 'content-length']);
  const headers = [...response.headers].filter(([name]) => !addedByNode.has(name));
  return { headers: Object.fromEntries(headers), body: await response.text() };
}
