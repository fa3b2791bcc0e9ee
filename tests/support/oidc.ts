import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import path from 'node:path';

import { send, type RawAnswer } from './http';
import { cookieOf } from './people';
import { poll } from './waiting';

/** A real provider of OpenID Connect in a process of its own, and a browser that signs in by it. */

export interface TestProvider {
  readonly issuer: string;
  /** Claims of a person, from now on. */
  enter(sub: string, claims: Readonly<Record<string, unknown>>): Promise<void>;
  /** Makes it break a rule, or with null be honest again. */
  lie(about: 'signature' | 'another subject' | 'silence' | null): Promise<void>;
  stop(): Promise<void>;
}

export const client = { id: 'holdfast', secret: 'a client secret of the tests' };

export interface ProviderOptions {
  readonly port: number;
  /** The service that people come back to. */
  readonly publicUrl: string;
  /** Behind the address where it is, so that it calls itself otherwise than it is called. */
  readonly issuerPath?: string;
  /** Whether the ID token carries every claim, or the userinfo endpoint alone does. */
  readonly idTokenClaims?: 'all' | 'few';
}

export async function startProvider(options: ProviderOptions): Promise<TestProvider> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'oidc-provider.mjs')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      NODE_ENV: 'test',
      PATH: process.env['PATH'],
      PORT: String(options.port),
      ISSUER_PATH: options.issuerPath ?? '',
      ID_TOKEN_CLAIMS: options.idTokenClaims ?? 'all',
      CLIENT_ID: client.id,
      CLIENT_SECRET: client.secret,
      REDIRECT_URI: `${options.publicUrl}/api/auth/callback/oidc`,
    },
  });
  let log = '';
  child.stdout.on('data', (chunk: Buffer) => (log += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  process.once('exit', () => child.kill('SIGKILL'));
  const issuer = `http://127.0.0.1:${options.port}`;
  await poll(() => (log.includes(`provider at ${issuer}`) ? true : null), {
    withinMs: 30_000,
    describe: () => `the provider does not listen:\n${log}`,
  });
  const put = async (to: string, value: unknown) => {
    await send(issuer, { method: 'PUT', path: to, body: JSON.stringify(value) });
  };
  return {
    issuer,
    enter: (sub, claims) => put(`/people/${encodeURIComponent(sub)}`, claims),
    lie: (about) => put('/lie', about),
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** A port that was free a moment ago: provider and service must know each other's before either starts. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}

/** Signing in under way: what the browser has been told by the service. */
export interface Begun {
  readonly url: string;
  readonly cookie: string;
}

/** @param from the address as a proxy tells it, which the service must trust; each has a limit of its own. */
export function tryToBegin(
  service: string,
  body: unknown = {},
  from = newAddress(),
): Promise<RawAnswer> {
  return send(service, {
    method: 'POST',
    path: '/api/auth/sign-in/social',
    headers: {
      'content-type': 'application/json',
      origin: service,
      'x-forwarded-for': from,
    },
    body: JSON.stringify(body),
  });
}

function newAddress(): string {
  return `10.${[1, 2, 3].map(() => randomInt(256)).join('.')}`;
}

export async function begin(
  service: string,
  body: unknown = {},
  from = newAddress(),
): Promise<Begun> {
  const answer = await tryToBegin(service, body, from);
  if (answer.status !== 200) throw new Error(`It answered ${answer.status}: ${answer.body}`);
  const { url } = JSON.parse(answer.body) as { url: string };
  return { url, cookie: cookieOf(answer) };
}

/** Signs in at the provider, as a person would. @returns where the provider sends the browser, which is not followed. */
export async function visitProvider({ url }: Begun, sub: string): Promise<URL> {
  const jar = new Map<string, string>();
  let at = new URL(url);
  for (let hop = 0; hop < 10; hop += 1) {
    if (at.pathname.startsWith('/interaction/')) at.searchParams.set('as', sub);
    const cookie = [...jar].map((pair) => pair.join('=')).join('; ');
    const answer = await send(at.origin, {
      method: 'GET',
      path: `${at.pathname}${at.search}`,
      headers: { cookie },
    });
    for (const line of answer.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      jar.set(name, value);
    }
    const { location } = answer.headers;
    if (location === undefined) throw new Error(`It answered ${answer.status}: ${answer.body}`);
    at = new URL(location, at);
    if (at.pathname === '/api/auth/callback/oidc') return at;
  }
  throw new Error('The provider sends the browser round in circles');
}

export function comeBack(
  service: string,
  to: URL,
  cookie: string,
  from = newAddress(),
): Promise<RawAnswer> {
  return send(service, {
    method: 'GET',
    path: `${to.pathname}${to.search}`,
    headers: { cookie, 'x-forwarded-for': from },
  });
}

/** All of it. @returns the service's answer to the callback. */
export async function signInByProvider(
  service: string,
  sub: string,
  body: unknown = {},
): Promise<RawAnswer> {
  const begun = await begin(service, body);
  return comeBack(service, await visitProvider(begun, sub), begun.cookie);
}
