import type { Waker } from './clock.js';
import type { Transport } from './transport.js';

/** Tells those who wait for a lock that it may be free, by the service's event stream where the key may read it. */
export interface Wakeups {
  /** Opens the stream for a resource if need be; `close` when the wait is over. */
  listen(resource: string): { readonly waker: Waker; close(): void };
}

const endings = ['released', 'expired', 'force_released', 'cleared', 'reopened'];

/**
 * One stream for each resource that is waited for, shared by all who wait in this client. It may never be there, end or
 * fall silent: then waiting goes on by the clock, so nothing here can fail a wait.
 */
export function createWakeups(transport: Transport): Wakeups {
  const topics = new Map<string, Topic>();
  let isRefused = false;

  return {
    listen(resource) {
      let topic = topics.get(resource);
      if (topic === undefined) {
        topic = { wakes: new Set(), waiting: 0, cancel: new AbortController() };
        topics.set(resource, topic);
        if (!isRefused) void follow(topic, resource);
      }
      const { wakes } = topic;
      const own = topic;
      own.waiting += 1;
      return {
        waker(wake) {
          wakes.add(wake);
          return () => wakes.delete(wake);
        },
        close() {
          own.waiting -= 1;
          if (own.waiting > 0) return;
          if (topics.get(resource) === own) topics.delete(resource);
          own.cancel.abort();
        },
      };
    },
  };

  /** Never rejects. */
  async function follow(topic: Topic, resource: string): Promise<void> {
    try {
      const kinds = endings.map((kind) => `&kind=${kind}`).join('');
      const path = `/api/events/stream?resource=${encodeURIComponent(resource)}${kinds}`;
      const response = await transport.open(path, topic.cancel.signal);
      const type = response.headers.get('content-type') ?? '';
      if (response.status !== 200 || !type.startsWith('text/event') || response.body === null) {
        isRefused = response.status < 500 && response.status !== 429;
        await response.body?.cancel();
        return;
      }
      // What ended between the last answer and now was not seen.
      wakeAll(topic);
      for await (const message of messagesOf(response.body)) {
        if (isEnding(message, resource)) wakeAll(topic);
      }
    } catch {
      // The clock goes on.
    }
    // Whoever waits next opens it anew.
    if (topics.get(resource) === topic) topics.delete(resource);
  }
}

interface Topic {
  readonly wakes: Set<() => void>;
  readonly cancel: AbortController;
  waiting: number;
}

function wakeAll({ wakes }: Topic): void {
  for (const wake of [...wakes]) wake();
}

export interface StreamMessage {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
}

/** The messages of a stream of server-sent events, until it ends. */
export async function* messagesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamMessage> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) yield messageOf(block);
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

/** The service writes each field once, in one line. */
function messageOf(block: string): StreamMessage {
  const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1];
  return { id: field('id'), event: field('event') ?? '', data: field('data') ?? '' };
}

/** The service filters; should it not, events of other resources must not wake anybody. */
function isEnding({ event, data }: StreamMessage, resource: string): boolean {
  return (
    endings.includes(event) && (JSON.parse(data) as { resource?: unknown }).resource === resource
  );
}
