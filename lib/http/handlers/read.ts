import { visibleTo, type Caller } from '@/lib/access/callers';
import { lockAnswer } from '@/lib/contract/answers';
import { parseSort, type ListFiltersOnWire } from '@/lib/contract/list-query';
import { inspect } from '@/lib/locks/inspect';
import { list } from '@/lib/locks/list';
import type { ListFilter, ListPosition } from '@/lib/locks/lock-store';

import { decodeCursor, encodeCursor } from '../cursor';
import { exportAnswer, exportPageRows } from '../export';
import { invalid } from '../problem';
import { handle } from '../route';
import { askerOnWire, lockOnWire, timeOnWire } from '../wire';
import { noLock } from './lease';

/** What can be read of locks. */

const lockFields = lockAnswer.keyof().options;

export const inspectLock = handle('inspect', async ({ parameters, query }, { services }) => {
  const { lease, nowMs } = await inspect(services.locks, {
    resource: parameters.resource,
    includesExpired: query.include === 'expired',
  });
  if (lease === null) throw noLock(parameters.resource);
  return { status: 200, body: { lock: lockOnWire(lease, nowMs), now: timeOnWire(nowMs) } };
});

export const listLocks = handle('list', async ({ query }, { services, caller }) => {
  const { field } = parseSort(query.sort);
  const { cursor, limit, ...scope } = query;
  const after = cursor === undefined ? null : decodeCursor(cursor, scope);
  if (after !== null) assertFits(after, field === 'resource' || field === 'owner');

  const asked = { ...listed(query, caller), limit, after };
  const { page, nowMs } = await services.bulkReads.run(() => list(services.locks, asked));
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

/** All but the page. */
function listed(query: ListFiltersOnWire, caller: Caller) {
  const { field, isDescending } = parseSort(query.sort);
  return {
    state: query.state,
    condition: query.condition ?? null,
    filter: { ...filterOf(query), visible: visibleTo(caller) },
    sortField: field,
    isDescending,
  };
}

function filterOf(query: ListFiltersOnWire): Omit<ListFilter, 'visible'> {
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

export const exportLocks = handle('exportLocks', ({ query }, context) => {
  const { services, caller } = context;
  const readPage = async (after: ListPosition | null) => {
    const asked = {
      ...listed(query, caller),
      limit: exportPageRows,
      after,
      isUncounted: true,
    };
    const { page, nowMs } = await list(services.locks, asked);
    return { rows: page.leases.map((lease) => lockOnWire(lease, nowMs)), next: page.next };
  };
  const table = { name: 'holdfast-locks', fields: lockFields, readPage };
  return exportAnswer('exportLocks', table, context);
});
