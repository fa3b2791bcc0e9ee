import { request as open, type IncomingMessage } from 'node:http';

import type { RawRequest } from './http';
import { poll } from './waiting';

/** A reader of the event stream that parses it as the standard of server-sent events says. */

export interface Message {
  /** The last id that was told, also by an earlier message. */
  readonly lastId: string;
  /** Whether this very message has an id. */
  readonly hasId: boolean;
  readonly event: string;
  readonly data: string;
}

export interface EventReader {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly messages: readonly Message[];
  lastId(): string;
  retryMs(): number | null;
  comments(): number;
  isOver(): boolean;
  /** Resolves with the first message from now on, or before, that is wanted. */
  find(wanted: (message: Message) => boolean, withinMs?: number): Promise<Message>;
  untilOver(withinMs?: number): Promise<void>;
  /** Stops reading from the connection, without closing it. */
  stall(): void;
  resume(): void;
  close(): void;
}

export interface EventData {
  readonly id: string | null;
  readonly kind: string;
  readonly resource: string | null;
  readonly owner: string | null;
  readonly subject: string | null;
}

export function dataOf({ data }: Message): EventData {
  return JSON.parse(data) as EventData;
}

/** @param path with its query. */
export function openReader(
  url: string,
  path: string,
  headers: NonNullable<RawRequest['headers']>,
): Promise<EventReader> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const outgoing = open(
      {
        hostname,
        port,
        path,
        agent: false,
        headers: Object.fromEntries(
          Object.entries(headers).map(([name, value]) => [name, String(value)]),
        ),
      },
      (incoming) => resolve(readerOf(incoming)),
    );
    outgoing.once('error', reject);
    outgoing.end();
  });
}

function readerOf(incoming: IncomingMessage): EventReader {
  const messages: Message[] = [];
  const state = { lastId: '', retryMs: null as number | null, comments: 0, isOver: false };
  let rest = '';
  incoming.setEncoding('utf8');
  incoming.on('data', (chunk: string) => {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) takeBlock(block, state, messages);
  });
  incoming.on('error', () => undefined);
  incoming.on('close', () => (state.isOver = true));
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers,
    messages,
    lastId: () => state.lastId,
    retryMs: () => state.retryMs,
    comments: () => state.comments,
    isOver: () => state.isOver,
    find: (wanted, withinMs = 20_000) =>
      poll(() => messages.find(wanted) ?? null, {
        withinMs,
        describe: () => `no such message among ${messages.length}`,
      }),
    async untilOver(withinMs = 20_000) {
      await poll(() => (state.isOver ? true : null), {
        withinMs,
        describe: () => 'the stream goes on',
      });
    },
    stall: () => incoming.pause(),
    resume: () => incoming.resume(),
    close: () => incoming.destroy(),
  };
}

function takeBlock(
  block: string,
  state: { lastId: string; retryMs: number | null; comments: number },
  messages: Message[],
): void {
  const message = { hasId: false, event: 'message', data: '' };
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    const [field, value] = [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
    if (field === '') state.comments += 1;
    else if (field === 'id') [state.lastId, message.hasId] = [value, true];
    else if (field === 'retry') state.retryMs = Number(value);
    else if (field === 'event') message.event = value;
    else if (field === 'data') message.data += value;
  }
  if (message.data !== '') messages.push({ ...message, lastId: state.lastId });
}
