import { callerId, maySee, type Caller } from '@/lib/access/callers';
import type { streamQuery } from '@/lib/contract/stream-query';
import { parsePosition, type FeedPosition } from '@/lib/locks/event-feed';
import type { EventKind, LockEvent } from '@/lib/locks/events';
import { isCovered, parsePattern } from '@/lib/locks/patterns';
import type { z } from 'zod';

import { confirmCaller } from '../confirm-caller';
import { cutOf } from '../connection';
import { EventStream, type EventStreamOptions } from '../event-stream';
import { Problem } from '../problem';
import { handle, type HandlerContext } from '../route';

type Query = z.output<typeof streamQuery>;

const headers = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  // Some proxies gather an answer before they pass it on.
  'X-Accel-Buffering': 'no',
} as const;

/** The history as it happens. */
export const streamEvents = handle('streamEvents', async ({ query }, context) => {
  const { services, request, caller } = context;
  const { hub, slots } = services.events;
  const after = placeOf(request, query);
  if (request.method === 'HEAD') return { status: 200, headers };
  if (hub.isClosed) throw busy('This instance is stopping.');
  const leave = slots.take(callerId(caller));
  if (leave === 'caller-full') {
    throw new Problem('too-many-requests', 'This caller has as many streams open as it may.', {
      headers: { 'Retry-After': '5' },
    });
  }
  if (leave === 'full') throw busy('This instance serves as many streams as it can.');
  try {
    const stream = await EventStream.open({
      hub,
      after,
      accepts: acceptor(query),
      ...rightsOf(context),
      cut: cutOf(request),
      onEnd(why) {
        leave();
        services.metrics.noteStreamEnd(why);
        services.log.debug({ requestId: context.requestId, why }, 'a stream has ended');
      },
    });
    return { status: 200, headers, stream };
  } catch (error) {
    leave();
    throw error;
  }
});

function busy(detail: string): Problem {
  return new Problem('unavailable', `${detail} Come back in a moment.`, {
    headers: { 'Retry-After': '2' },
  });
}

/** By the header, which browsers send when they come back by themselves, else by the query. */
function placeOf(request: Request, query: Query): FeedPosition | null {
  const header = request.headers.get('last-event-id');
  // What is no place of ours is one that is not known: the reader is told to begin anew.
  if (header !== null && header !== '') return parsePosition(header) ?? nowhere;
  return query.last_event_id ?? null;
}

const nowhere: FeedPosition = { transaction: 0, id: Number.MAX_SAFE_INTEGER };

function acceptor(query: Query): EventStreamOptions['accepts'] {
  const kinds = query.kind === undefined ? null : new Set<EventKind>(query.kind);
  const patterns = query.resource === undefined ? null : [parsePattern(query.resource)];
  return (event: Pick<LockEvent, 'kind' | 'resource' | 'client' | 'actor'>, caller: Caller) =>
    (kinds === null || kinds.has(event.kind)) &&
    (patterns === null || (event.resource !== null && isCovered(event.resource, patterns))) &&
    (query.client === undefined || event.client === query.client) &&
    (query.actor === undefined || event.actor === query.actor) &&
    maySee(caller, event.resource);
}

/** Keys are in memory, so one that is not known at once is not known; a session is read from the store. */
const rightsOfKey = { everyMs: 200, graceMs: 0 } as const;
const rightsOfPerson = { everyMs: 1_500, graceMs: 2_500 } as const;

function rightsOf(context: HandlerContext) {
  const { caller } = context;
  return {
    caller,
    rights: caller.kind === 'key' ? rightsOfKey : rightsOfPerson,
    confirm: () => confirmCaller('streamEvents', context),
  };
}
