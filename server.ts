import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import path from 'node:path';
import type { Duplex } from 'node:stream';

import { getRequestListener } from '@hono/node-server';
import next from 'next';

import { routes } from '@/generated/routes';
import { sourceOf } from '@/lib/access/trusted-proxies';
import { noteConnection } from '@/lib/http/connection';
import { Problem } from '@/lib/http/problem';
import { rawPathProblem } from '@/lib/http/raw-path';
import { requestIdFrom, respondWithProblem } from '@/lib/http/respond';
import { routeRefusing, type RouteMethods } from '@/lib/http/route';
import { createRouter } from '@/lib/http/router';
import { unreadableProblem } from '@/lib/http/unreadable-request';
import { EnvironmentError, readEnvironment } from '@/lib/server/env';
import { announce } from '@/lib/server/announce';
import { startServices, type Services } from '@/lib/server/services';
import { stopOnSignal } from '@/lib/server/stop';

/**
 * The door that `npm start` opens: one `node:http` server that hands `/api/…` straight to the route modules, and every
 * other path to Next. Next's own pipeline costs many times as much as a lock call.
 */

const root = path.join(import.meta.dirname, '..');
const sqliteWorker = new URL('./sqlite-worker.mjs', import.meta.url);
const requestMsMax = 30_000;
const headersMsMax = 10_000;
/** Longer than proxies keep an idle connection, so that none sends a call into one that is just being closed. */
const idleMsMax = 75_000;
const lingerMs = 1_000;
const streamPath = '/api/events/stream';

const route = createRouter(routes);

/** Requests whose path is none, and what their caller is told if it is a known one. */
const refused = new WeakMap<object, Problem>();

const api = getRequestListener(
  (request, { incoming }) => {
    noteConnection(request, {
      address: incoming.socket.remoteAddress ?? null,
      isEncrypted: 'encrypted' in incoming.socket,
      cut: () => incoming.socket.destroy(),
    });
    const problem = refused.get(incoming);
    const handlers = problem === undefined ? route(pathOf(incoming)) : routeRefusing(problem);
    const method = isRouteMethod(request.method) ? request.method : 'OPTIONS';
    return handlers[method](request);
  },
  {
    overrideGlobalObjects: true,
    // What it can't make a request of has a Host that is no name.
    errorHandler: () => respondWithProblem(noSuchHost(), requestIdFrom(null)),
  },
);

async function main(): Promise<void> {
  const environment = readEnvironment();
  const services = await startServices({ sqliteWorker });
  // Next listens for WebSockets on the server that it is given. On ours, which has none, Node would then cut off every
  // request with an `Upgrade` header, such as those by which many clients offer HTTP/2; without a listener it serves them.
  const httpServer = createServer();
  const pages = next({ dev: false, dir: root, hostname: environment.host, httpServer });
  await pages.prepare();
  const page = pages.getRequestHandler();
  // Next's own listener only logs; a lock service must not go on in a state that nobody knows.
  process.on('uncaughtException', (error) => {
    services.log.fatal({ err: error }, 'an uncaught exception ends the process');
    process.exit(1);
  });

  // Node looks for connections past their time every 30 s unless told otherwise: longer than they may last.
  const server = createServer({ connectionsCheckingInterval: 2_000 }, (incoming, outgoing) => {
    // A stopping server answers what has come, and then lets the connection go.
    if (!server.listening) outgoing.shouldKeepAlive = false;
    takeOriginForm(incoming);
    if (isOverTls(incoming, services)) outgoing.setHeader(...strictTransport);
    const problem = problemAtTheDoor(incoming);
    if (problem !== null) void refuse(incoming, outgoing, problem);
    else if (isApi(incoming)) serveApi(incoming, outgoing);
    else void page(incoming, outgoing);
  });
  server.requestTimeout = requestMsMax;
  server.headersTimeout = headersMsMax;
  server.keepAliveTimeout = idleMsMax;
  server.on('clientError', (error, socket) => void refuseUnreadable(error, socket));
  await listen(server, environment.port, environment.host);
  await announce(server.address(), environment, services);
  stopOnSignal({ server, services, graceMs: environment.shutdownGraceMs, cutStreams });
}

const openStreams = new Set<ServerResponse>();

function serveApi(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const problem = rawPathProblem(pathOf(incoming));
  if (problem !== null) {
    refused.set(incoming, problem);
    // No request can be made of such a path.
    incoming.url = '/api';
  }
  if (pathOf(incoming) === streamPath) {
    openStreams.add(outgoing);
    outgoing.once('close', () => openStreams.delete(outgoing));
  }
  void api(incoming, outgoing);
}

function cutStreams(): void {
  for (const outgoing of openStreams) outgoing.destroy();
}

/** A target may be a whole URL, as proxies send it; its authority then stands for the Host header (RFC 9112, 3.2.2). */
function takeOriginForm(incoming: IncomingMessage): void {
  const absolute = /^https?:\/\/([^/?#]+)(.*)$/i.exec(incoming.url ?? '');
  if (absolute === null) return;
  const [, authority, target = ''] = absolute;
  incoming.headers.host = authority;
  incoming.url = target.startsWith('/') ? target : `/${target}`;
}

/** What is decided on the raw request, before any URL parser. Of a path under /api that is for its callers to learn. */
function problemAtTheDoor(incoming: IncomingMessage): Problem | null {
  if (!/^[\w.:[\]-]{1,300}$/.test(incoming.headers.host ?? '')) return noSuchHost();
  const path = pathOf(incoming);
  if (!path.startsWith('/') || path.startsWith('//')) return noSuchPath();
  if (isApi(incoming)) return null;
  // Next would redirect, merge or fail on such a page path.
  if (rawPathProblem(path) !== null || path.includes('//')) return noSuchPath();
  return isReading(incoming) ? null : noSuchMethod();
}

/** Browsers that have come by TLS are to come by nothing else, for a year. */
const strictTransport = ['Strict-Transport-Security', 'max-age=31536000'] as const;

function isOverTls({ headers, socket }: IncomingMessage, { settings }: Services): boolean {
  if (headers['x-forwarded-proto'] === undefined) return 'encrypted' in socket;
  const forwarded = new Headers({ 'x-forwarded-proto': String(headers['x-forwarded-proto']) });
  const connection = { address: socket.remoteAddress ?? null, isEncrypted: 'encrypted' in socket };
  return sourceOf(forwarded, connection, settings.trustedProxies).isTls;
}

function isReading({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD';
}

function noSuchHost(): Problem {
  return new Problem('invalid-request', 'The header Host is not a name.', { status: 400 });
}

function noSuchPath(): Problem {
  return new Problem('not-found', 'There is nothing at this path.');
}

function noSuchMethod(): Problem {
  const headers = { Allow: 'GET, HEAD' };
  return new Problem('method-not-allowed', 'A page takes GET and HEAD.', { headers });
}

function pathOf({ url = '/' }: { url?: string | undefined }): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}

function isApi(incoming: IncomingMessage): boolean {
  const path = pathOf(incoming);
  return path === '/api' || path.startsWith('/api/');
}

function isRouteMethod(method: string): method is keyof RouteMethods {
  return ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].includes(method);
}

async function refuse(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  problem: Problem,
): Promise<void> {
  const given = incoming.headers['x-request-id'];
  const response = respondWithProblem(
    problem,
    requestIdFrom(typeof given === 'string' ? given : null),
  );
  outgoing.writeHead(response.status, {
    ...Object.fromEntries(response.headers),
    // The body, if there is one, is not read.
    connection: 'close',
  });
  outgoing.end(await response.text());
}

/** Answers what is no HTTP: Node alone would do it in one line, without what every answer of ours carries. */
async function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): Promise<void> {
  if (error.code === 'ECONNRESET') socket.destroy();
  if (!socket.writable) return;
  const response = respondWithProblem(unreadableProblem(error.code), requestIdFrom(null));
  const body = await response.text();
  const headers = Object.entries({
    ...Object.fromEntries(response.headers),
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`);
  const status = `HTTP/1.1 ${response.status} ${STATUS_CODES[response.status] ?? ''}`;
  socket.end([status, ...headers, '', body].join('\r\n'));
  // Time to read the answer: closing at once, with input unread, would reset the connection under it.
  setTimeout(() => socket.destroy(), lingerMs).unref();
}

/** @throws EnvironmentError when the address can't be had. */
function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(addressError(error, port, host)));
    server.listen(port, host, resolve);
  });
}

function addressError(error: NodeJS.ErrnoException, port: number, host: string): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new EnvironmentError(
        `PORT ${port} is in use on ${host}: stop what listens there, or choose another port`,
      );
    case 'EACCES':
      return new EnvironmentError(`PORT ${port} is not for this user: choose one from 1024 up`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new EnvironmentError(`HOST ${host} is not an address of this machine`);
    case undefined:
    default:
      return error;
  }
}

main().catch((error: unknown) => {
  console.error(
    error instanceof EnvironmentError ? `Holdfast does not start:\n${error.message}` : error,
  );
  process.exit(1);
});
