import { Agent, request as open, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';

import { deadline } from './waiting';

/** Requests as they are written, for what `fetch` would tidy up: paths as given, odd headers, broken and chunked bodies. */

export interface RawRequest {
  readonly method: string;
  /** Path and query, sent as it stands. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Sent with a `Content-Length`. */
  readonly body?: string | Uint8Array | undefined;
  /** Sent chunked, without a `Content-Length`. */
  readonly chunks?: Iterable<string | Uint8Array>;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export const answerMsMax = 30_000;
// Idle connections are given up before the server does it, so that none is used while it is being closed.
const agent = new Agent({ keepAlive: true, maxSockets: 256, timeout: 2_000 });

/** @throws when there is no answer within {@link answerMsMax}, or the connection breaks before one. */
export async function send(url: string, given: RawRequest): Promise<RawAnswer> {
  return deadline(
    exchange(url, given),
    answerMsMax,
    () => `there is no answer to ${given.method} ${given.path}`,
  );
}

function exchange(url: string, { method, path, headers, body, chunks }: RawRequest) {
  const { hostname, port } = new URL(url);
  return new Promise<RawAnswer>((resolve, reject) => {
    let isAnswered = false;
    const outgoing = open(
      {
        agent,
        hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
        port,
        method,
        path,
        headers: {
          ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
          // Node would leave it out of a DELETE.
          ...(chunks === undefined ? {} : { 'transfer-encoding': 'chunked' }),
          ...copied(headers),
        },
      },
      (incoming) => {
        isAnswered = true;
        read(incoming, resolve, reject);
      },
    );
    // A server that refuses a body may close while it is still being sent; its answer counts all the same.
    outgoing.on('error', (error) => {
      if (!isAnswered) reject(error);
    });
    for (const chunk of chunks ?? []) outgoing.write(chunk);
    outgoing.end(body);
  });
}

function read(
  incoming: IncomingMessage,
  resolve: (answer: RawAnswer) => void,
  reject: (error: Error) => void,
): void {
  if (incoming.headers['content-type']?.startsWith('text/event-stream') === true) {
    // It has no end: what is asked here is whether it begins.
    incoming.once('error', () => undefined);
    incoming.destroy();
    resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: '' });
    return;
  }
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  incoming.once('error', reject);
  incoming.once('end', () => {
    const body = Buffer.concat(chunks).toString();
    resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body });
  });
}

function copied(
  headers: Readonly<Record<string, string | readonly string[]>> = {},
): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : [...value],
    ]),
  );
}

/**
 * Writes bytes to the server as they are and reads until it closes the connection, for what is no HTTP at all.
 *
 * @param text ends with `Connection: close` among its headers, unless the server is to close by itself.
 */
export function sendText(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const answer = new Promise<string>((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect({ host: hostname, port: Number(port) }, () =>
      socket.write(text, 'latin1'),
    );
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.once('error', reject);
    socket.once('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
  });
  return deadline(
    answer,
    answerMsMax,
    () => `the connection is still open after ${shortened(text)}`,
  );
}

function shortened(text: string): string {
  return JSON.stringify(text.slice(0, 200));
}
