import { visibleTo } from '@/lib/access/callers';
import { parseSort, type ListQueryOnWire } from '@/lib/contract/list-query';
import { inspect } from '@/lib/locks/inspect';
import { list } from '@/lib/locks/list';
import type { ListFilter, ListPosition } from '@/lib/locks/lock-store';

import { decodeCursor, encodeCursor } from '../cursor';
import { invalid } from '../problem';
import { handle } from '../route';
import { askerOnWire, eventOnWire, lockOnWire, timeOnWire } from '../wire';
import { noLock } from './lease';

/** What can be read of locks. */

export const inspectLock = handle('inspect', async ({ parameters, query }, { services }) => {
  const { lease, nowMs } = await inspect(services.locks, {
    resource: parameters.resource,
    includesExpired: query.include === 'expired',
  });
  if (lease === null) throw noLock(parameters.resource);
  return { status: 200, body: { lock: lockOnWire(lease, nowMs), now: timeOnWire(nowMs) } };
});

export const listLocks = handle('list', async ({ query }, { services, caller }) => {
  const { field, isDescending } = parseSort(query.sort);
  const { cursor, limit, ...scope } = query;
  const after = cursor === undefined ? null : decodeCursor(cursor, scope);
  if (after !== null) assertFits(after, field === 'resource' || field === 'owner');

  const { page, nowMs } = await list(services.locks, {
    state: query.state,
    condition: query.condition ?? null,
    filter: { ...filterOf(query), visible: visibleTo(caller) },
    sortField: field,
    isDescending,
    limit,
    after,
  });
  return {
    status: 200,
    body: {
      locks: page.leases.map((lease) => lockOnWire(lease, nowMs)),
      next_cursor: page.next === null ? null : encodeCursor(page.next, scope),
      counts: page.counts,
      counts_capped: page.areCountsCapped,
      now: timeOnWire(nowMs),
    },
  };
});

function filterOf(query: ListQueryOnWire): Omit<ListFilter, 'visible'> {
  return {
    text: query.q ?? null,
    resourcePrefix: query.prefix ?? null,
    owner: query.owner ?? null,
    ownerPrefix: query.owner_prefix ?? null,
    client: query.client ?? null,
    fencingToken: query.fencing_token ?? null,
    askedMin: query.asked_min ?? null,
  };
}

function assertFits(position: ListPosition, isText: boolean): void {
  if ((typeof position.value === 'string') !== isText) {
    throw invalid([{ field: 'cursor', message: 'is not a cursor of this API' }]);
  }
}

export const readContention = handle('contention', async ({ parameters }, { services }) => {
  const { outcome, nowMs } = await services.locks.store.askers(parameters.resource);
  return { status: 200, body: { askers: outcome.map(askerOnWire), now: timeOnWire(nowMs) } };
});

export const readLockEvents = handle('lockEvents', async ({ parameters, query }, { services }) => {
  const scope = ['events', parameters.resource];
  const after = query.cursor === undefined ? null : decodeCursor(query.cursor, scope);
  const page = await services.locks.store.events({
    resource: parameters.resource,
    limit: query.limit,
    beforeId: after?.id ?? null,
  });
  const next = page.nextBeforeId;
  return {
    status: 200,
    body: {
      events: page.events.map(eventOnWire),
      next_cursor: next === null ? null : encodeCursor({ value: 0, id: next }, scope),
    },
  };
});
