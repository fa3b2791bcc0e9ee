import { formatPosition, type FeedEvent, type FeedPosition } from '@/lib/locks/event-feed';
import type { Lease } from '@/lib/locks/lease';

import { eventOnWire, timeOnWire } from './wire';

/** Messages as server-sent events have them. JSON has no line breaks, and so needs one `data:` only. */

const encoder = new TextEncoder();
const texts = new WeakMap<FeedEvent, Uint8Array>();

/** Written once, however many read it. */
export function eventText(told: FeedEvent): Uint8Array {
  const known = texts.get(told);
  if (known !== undefined) return known;
  const { position, event } = told;
  const data = JSON.stringify(eventOnWire(event));
  const text = encoder.encode(
    `id: ${formatPosition(position)}\nevent: ${event.kind}\ndata: ${data}\n\n`,
  );
  texts.set(told, text);
  return text;
}

/** The same shape without an id, of the message and of the event: it is in no history. */
export function renewalText(lease: Lease): Uint8Array {
  const data = {
    id: null,
    at: timeOnWire(lease.renewedAtMs ?? lease.acquiredAtMs),
    kind: 'renewed',
    resource: lease.resource,
    owner: lease.owner,
    fencing_token: lease.fencingToken,
    expires_at: timeOnWire(lease.expiresAtMs),
    previous_owner: null,
    client: lease.client,
    actor: null,
    reason: null,
    count: null,
    held_ms: null,
    request_id: null,
    subject: null,
  };
  return encoder.encode(`event: renewed\ndata: ${JSON.stringify(data)}\n\n`);
}

const retryMs = 2_000;
const retrySpreadMs = 3_000;

/** @param place where a reader without one begins: told at once, so that it misses nothing should it be cut off. */
export function helloText(place: FeedPosition | null): Uint8Array {
  const id = place === null ? '' : `id: ${formatPosition(place)}\n`;
  return encoder.encode(`: the events of Holdfast\nretry: ${retryMs}\n${id}\n`);
}

/** @param id the place of the reader; null if it knows. */
export function heartbeatText(id: string | null): Uint8Array {
  return encoder.encode(`: still here\n${id === null ? '' : `id: ${id}\n`}\n`);
}

export function resetText(): Uint8Array {
  const data = JSON.stringify({
    detail: 'What came right after this place is not kept any more. The newest events follow.',
  });
  return encoder.encode(`event: reset\ndata: ${data}\n\n`);
}

/** @param isStopping the service stops: its readers are not to come back all at once. */
export function goodbyeText(isStopping: boolean): Uint8Array {
  const waitMs = retryMs + (isStopping ? Math.round(Math.random() * retrySpreadMs) : 0);
  return encoder.encode(`: goodbye\nretry: ${waitMs}\n\n`);
}
