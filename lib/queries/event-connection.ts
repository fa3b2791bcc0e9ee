import { lockEventKinds } from '../contract/stream-query';
import { createMessageParser } from './event-messages';

/** How the stream stands, as far as this page knows. */
export type StreamState = 'connecting' | 'live' | 'reconnecting';

/** What a tab learns from the stream: something about a resource, or that everything may have changed. */
export type LiveChange =
  { readonly kind: 'changed'; readonly resource: string } | { readonly kind: 'reset' };

export interface ConnectionListener {
  readonly onState: (state: StreamState) => void;
  readonly onChange: (change: LiveChange) => void;
  /** Where to resume, should this connection end. */
  readonly onPlace: (lastId: string) => void;
}

/** The server says something every 15 s: whoever hears nothing for so long is connected to nobody. */
const silenceMsMax = 40_000;
const backOffMsMin = 1_000;
const backOffMsMax = 30_000;

// Renewals come by the second and change little: the pace of asking is enough for them.
const kinds = lockEventKinds.filter((kind) => kind !== 'renewed');

/** Keeps a connection to the stream until told to stop, resuming where the last one ended. */
export async function followEvents(
  listener: ConnectionListener,
  lastId: string,
  signal: AbortSignal,
): Promise<void> {
  let place = lastId;
  let failures = 0;
  while (!signal.aborted) {
    try {
      await readStream(place, signal, {
        onOpen() {
          failures = 0;
          listener.onState('live');
        },
        onMessage({ lastId: told, event, data }) {
          place = told;
          listener.onPlace(told);
          const change = changeOf(event, data);
          if (change !== null) listener.onChange(change);
        },
      });
    } catch {
      failures += 1;
    }
    if (isAborted(signal)) return;
    listener.onState('reconnecting');
    await pause(backOffMs(failures), signal);
  }
}

/** Asked anew: TypeScript takes what it knew before the wait for what is so after it. */
function isAborted({ aborted }: AbortSignal): boolean {
  return aborted;
}

interface StreamReader {
  readonly onOpen: () => void;
  readonly onMessage: (message: { lastId: string; event: string; data: string }) => void;
}

/** @throws if there is no connection, it is refused, or it falls silent. */
async function readStream(lastId: string, signal: AbortSignal, reader: StreamReader) {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), silenceMsMax);
  try {
    const query = new URLSearchParams(kinds.map((kind) => ['kind', kind]));
    const response = await fetch(`/api/events/stream?${query.toString()}`, {
      headers: {
        accept: 'text/event-stream',
        ...(lastId === '' ? {} : { 'last-event-id': lastId }),
      },
      cache: 'no-store',
      signal: AbortSignal.any([signal, silence.signal]),
    });
    if (!response.ok || response.body === null) throw new Error(`Answered ${response.status}`);
    reader.onOpen();
    const parse = createMessageParser(lastId);
    const text = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await text.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), silenceMsMax);
      for (const message of parse(value)) reader.onMessage(message);
    }
  } finally {
    clearTimeout(timer);
  }
}

function changeOf(event: string, data: string): LiveChange | null {
  if (event === 'reset') return { kind: 'reset' };
  if (data === '') return null;
  const told: unknown = JSON.parse(data);
  const resource = typeof told === 'object' && told !== null && 'resource' in told && told.resource;
  return typeof resource === 'string' ? { kind: 'changed', resource } : null;
}

/** After an end that was no failure soon, then longer and longer; never all tabs of all people at once. */
function backOffMs(failures: number): number {
  const most = Math.min(backOffMsMax, backOffMsMin * 2 ** failures);
  return most * (0.5 + Math.random() / 2);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
