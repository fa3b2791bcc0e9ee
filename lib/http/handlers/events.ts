import { eventsVisibleTo, type Caller } from '@/lib/access/callers';
import { eventAnswer } from '@/lib/contract/answers';
import type { EventFiltersOnWire } from '@/lib/contract/events-query';
import { accessEventKinds, type EventKind } from '@/lib/locks/events';
import { limits } from '@/lib/locks/limits';
import { parsePattern } from '@/lib/locks/patterns';
import type { EventsFilter, EventsPosition } from '@/lib/locks/trail';

import { decodeCursor, encodeCursor } from '../cursor';
import { exportAnswer, exportPageRows } from '../export';
import { invalid, Problem } from '../problem';
import { type Answer } from '../respond';
import { handle, type HandlerContext } from '../route';
import { eventOnWire } from '../wire';

/** The history: of one resource, of all, and as a table. */

const eventFields = eventAnswer.keyof().options;

export const readLockEvents = handle('lockEvents', ({ parameters, query }, context) => {
  const { cursor, limit, ...filters } = query;
  const resource = { kind: 'exact', name: parameters.resource } as const;
  const filter = { ...filterOf(filters, context.caller), resource };
  return answerPage(
    { filter, limit, cursor, scope: ['events', parameters.resource, filters] },
    context,
  );
});

export const readEvents = handle('events', ({ query }, context) => {
  const { cursor, limit, ...filters } = query;
  const filter = filterOf(filters, context.caller);
  return answerPage({ filter, limit, cursor, scope: ['events', null, filters] }, context);
});

export const exportEvents = handle('exportEvents', ({ query }, context) => {
  const { services, caller } = context;
  const filter = filterOf(query, caller);
  const readPage = async (after: EventsPosition | null) => {
    const asked = { filter, limit: exportPageRows, after, walkMax: limits.eventsWalkMax };
    const { events, next } = await services.locks.store.events(asked);
    return { rows: events.map(eventOnWire), next };
  };
  const table = { name: 'holdfast-events', fields: eventFields, readPage };
  return exportAnswer('exportEvents', table, context);
});

interface WantedPage {
  readonly filter: EventsFilter;
  readonly limit: number;
  readonly cursor: string | undefined;
  /** What the cursor is bound to. */
  readonly scope: unknown;
}

async function answerPage(
  { filter, limit, cursor, scope }: WantedPage,
  { services }: Pick<HandlerContext, 'services'>,
): Promise<Answer> {
  const after = cursor === undefined ? null : positionIn(cursor, scope);
  const walkMax = limits.eventsWalkMax;
  const { events, next } = await services.bulkReads.run(() =>
    services.locks.store.events({ filter, limit, after, walkMax }),
  );
  return {
    status: 200,
    body: {
      events: events.map(eventOnWire),
      next_cursor: next === null ? null : encodeCursor({ value: next.atMs, id: next.id }, scope),
    },
  };
}

function positionIn(cursor: string, scope: unknown): EventsPosition {
  const { value, id } = decodeCursor(cursor, scope);
  if (typeof value === 'number') return { atMs: value, id };
  throw invalid([{ field: 'cursor', message: 'is not a cursor of this API' }]);
}

function filterOf(
  { kind, actor, client, resource, since, until }: EventFiltersOnWire,
  caller: Caller,
): EventsFilter {
  if (caller.kind === 'key') assertNoAccessKinds(kind ?? []);
  return {
    kinds: kind ?? null,
    actor: actor ?? null,
    client: client ?? null,
    resource: resource === undefined ? null : parsePattern(resource),
    sinceMs: since ?? null,
    untilMs: until ?? null,
    visible: eventsVisibleTo(caller),
  };
}

/** An empty page would read as if nothing had happened. */
function assertNoAccessKinds(kinds: readonly EventKind[]): void {
  const asked = kinds.filter((kind) => accessEventKinds.some((word) => word === kind));
  if (asked.length === 0) return;
  throw new Problem(
    'forbidden',
    `Keys do not see ${asked.join(', ')}: what happens to keys and people is shown to people. Sign in to the dashboard.`,
  );
}
