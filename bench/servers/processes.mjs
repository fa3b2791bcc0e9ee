// Processes that are measured: started on a free port of the loopback address, and ended by their id.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const startMsMax = 60_000;
const stopMsMax = 15_000;
const alive = new Set();

/** Whatever ends the benchmark, nothing that it has started outlives it. */
process.on('exit', () => {
  for (const pid of alive) signal(pid, 'SIGKILL');
});

/** For what is started by other means: until it has ended. @returns to be called then. */
export function endsWithUs(pid) {
  alive.add(pid);
  return () => alive.delete(pid);
}

/**
 * @param isReady asked again and again until it resolves to true.
 * @returns its `pid`, and `stop()`, which waits for its end.
 */
export async function startProcess({
  title,
  command,
  args,
  cwd,
  env = process.env,
  errors = 'inherit',
  isReady,
}) {
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'ignore', errors] });
  const exited = once(child, 'exit').then(endsWithUs(child.pid));
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  await untilReady({ title, isReady, hasEnded });
  const stop = async () => {
    if (hasEnded()) throw new Error(`${title} ended before its measurement did`);
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), stopMsMax);
    await exited;
    clearTimeout(late);
  };
  return { pid: child.pid, stop };
}

async function untilReady({ title, isReady, hasEnded }) {
  for (const endMs = performance.now() + startMsMax; performance.now() < endMs; await delay(100)) {
    if (hasEnded()) throw new Error(`${title} ended before it was ready`);
    if (await isReady()) return;
  }
  throw new Error(`${title} was not ready after ${startMsMax / 1000} s`);
}

export async function answersOk(url) {
  const response = await fetch(url).catch(() => null);
  await response?.arrayBuffer();
  return response?.ok ?? false;
}

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended by itself.
  }
}
