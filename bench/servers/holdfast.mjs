// Holdfast as its users run it: with an API key that is kept in its database, history and tokens on.
import path from 'node:path';

import { answersOk, freePort, startProcess } from './processes.mjs';

const admin = { email: 'bench@example.com', password: 'a password of the benchmark' };

/** The server of `npm start`. `home` is a built checkout. */
export async function startHoldfast({ title, home, databaseUrl, environment = {} }) {
  const port = await freePort();
  const args = ['--enable-source-maps', path.join(home, 'dist/server.mjs')];
  return startNode({ title, home, port, args, databaseUrl, environment });
}

/** The same build's route modules, served by Next. */
export async function startNext({ title, home, databaseUrl }) {
  const port = await freePort();
  const program = path.join(home, 'node_modules/next/dist/bin/next');
  const args = [program, 'start', '-H', '127.0.0.1', '-p', String(port)];
  return startNode({ title, home, port, args, databaseUrl, environment: {} });
}

async function startNode({ title, home, port, args, databaseUrl, environment }) {
  const url = `http://127.0.0.1:${port}`;
  const server = await startProcess({
    title,
    command: process.execPath,
    args,
    cwd: home,
    env: {
      ...process.env,
      NODE_ENV: 'production',
      NEXT_TELEMETRY_DISABLED: '1',
      HOST: '127.0.0.1',
      PORT: String(port),
      DATABASE_URL: databaseUrl,
      HOLDFAST_LOG_LEVEL: 'warn',
      HOLDFAST_ADMIN_EMAIL: admin.email,
      HOLDFAST_ADMIN_PASSWORD: admin.password,
      HOLDFAST_SECRET: 'a secret of the benchmark, the same for every instance',
      // One key makes all the load.
      HOLDFAST_CALLS_PER_SECOND: '1000000',
      ...environment,
    },
    isReady: () => answersOk(`${url}/api/health/ready`),
  });
  return { ...server, url };
}

/**
 * Makes an API key as an admin does in the dashboard, so that what a server does once people use it is on.
 *
 * @returns its secret, or null where locks need none.
 */
export async function makeKey(url) {
  const send = (pathname, headers, body) =>
    fetch(`${url}${pathname}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: url, ...headers },
      body: JSON.stringify(body),
    });
  const signedIn = await send('/api/auth/sign-in/email', {}, admin);
  if (await answersOk(`${url}/api/locks`)) return null;
  const cookie = signedIn.headers
    .getSetCookie()
    .map((line) => line.split(';', 1).join())
    .join('; ');
  const asked = { name: 'bench', client: 'bench', scopes: ['acquire', 'read'], patterns: ['*'] };
  const made = await send('/api/keys', { cookie }, asked);
  if (made.status !== 201) throw new Error(`No API key was made: ${await made.text()}`);
  return (await made.json()).secret;
}
