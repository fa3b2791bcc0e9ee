import { checkResource } from '../arguments.js';
import { sleep, systemClock } from '../clock.js';
import { pathOf } from '../core.js';
import { UnavailableError } from '../errors.js';
import { messagesOf } from '../wakeups.js';
import type { Event, LockEventsAnswer } from '../wire.js';
import type { Api } from './api.js';
import { only, type Arguments } from './options.js';
import { print, say } from './print.js';
import { json, shown } from './text.js';

const pollMs = 1_000;
const reconnectMs = 2_000;

/** Prints what happens, until it is interrupted. One line for each event; with `--json`, one JSON object. */
export async function watch(api: Api, given: Arguments): Promise<number> {
  const [name] = only(given, ['NAME'], 1);
  const resource = name === undefined ? undefined : checkResource(name);
  const isJson = given.flag('json');
  const tell = (event: Event) => print(isJson ? `${oneLine(event)}\n` : lineOf(event));
  let lastId: string | undefined;
  for (;;) {
    const isStream = await follow(api, resource, lastId, (id, event) => {
      lastId = id ?? lastId;
      tell(event);
    });
    if (!isStream) {
      if (resource !== undefined) return poll(api, resource, tell);
      throw new UnavailableError('The service has no event stream for this key: name one lock');
    }
    say('The stream has ended, and is opened again');
    await sleep(systemClock, reconnectMs);
  }
}

/** @returns false if there is no stream; true when it has ended. */
async function follow(
  { transport }: Api,
  resource: string | undefined,
  lastId: string | undefined,
  hear: (id: string | undefined, event: Event) => void,
): Promise<boolean> {
  const query = resource === undefined ? '' : `?resource=${encodeURIComponent(resource)}`;
  const headers = lastId === undefined ? {} : { 'last-event-id': lastId };
  const { signal } = new AbortController();
  let response: Response;
  try {
    response = await transport.open(`/api/events/stream${query}`, signal, headers);
  } catch (cause) {
    if (lastId !== undefined) return true;
    throw new UnavailableError('The service does not answer', { cause });
  }
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (response.status !== 200 || !isStream || response.body === null) {
    await response.body?.cancel();
    return response.status >= 500 && lastId !== undefined;
  }
  try {
    for await (const { id, data } of messagesOf(response.body)) {
      const event = eventOf(data);
      const isMeant = resource === undefined || event?.resource === resource;
      if (event !== undefined && isMeant) hear(id, event);
    }
  } catch {
    // The connection broke: it is opened again.
  }
  return true;
}

function eventOf(data: string): Event | undefined {
  try {
    const event = JSON.parse(data) as Partial<Event>;
    return typeof event.kind === 'string' ? (event as Event) : undefined;
  } catch {
    return undefined;
  }
}

/** Where there is no stream: the history of one lock, asked for again and again. */
async function poll(api: Api, resource: string, tell: (event: Event) => void): Promise<number> {
  let seen: Set<string> | undefined;
  for (;;) {
    const answer = await api.read<LockEventsAnswer>(`${pathOf(resource, '/events')}?limit=50`);
    const events = [...(answer?.events ?? [])].reverse();
    if (seen !== undefined) for (const event of events) if (!seen.has(event.id)) tell(event);
    seen = new Set(events.map(({ id }) => id));
    await sleep(systemClock, pollMs);
  }
}

function lineOf({ at, kind, resource, owner, actor, reason }: Event): string {
  const who = [owner, actor, reason].filter((part) => part !== null).map(shown);
  return `${at}  ${kind}  ${shown(resource ?? '-')}  ${who.join('  ')}\n`;
}

function oneLine(event: Event): string {
  return json(event).replace(/\n\s*/g, ' ');
}
