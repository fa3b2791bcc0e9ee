import { conditionAt, stateAt, type Lease } from '../../locks/lease';
import { limits } from '../../locks/limits';
import type {
  ListCounts,
  ListFilter,
  ListPage,
  ListPosition,
  ListQuery,
  SeenLease,
} from '../../locks/lock-store';
import { isCovered } from '../../locks/patterns';
import { comparePositions, positionOf } from '../list-order';
import { seen } from './contention';
import type { MemoryTables } from './tables';

/** One page of the leases that match, and how many there are of each state and condition. */
export function listPage(tables: MemoryTables, query: ListQuery, nowMs: number): ListPage {
  const filtered = [...tables.leases.values()]
    .map((lease) => seen(tables, lease, nowMs))
    .filter((lease) => passes(lease, query.filter));
  const direction = query.isDescending ? -1 : 1;
  const compare = (a: ListPosition, b: ListPosition) => direction * comparePositions(a, b);
  const { after } = query;

  const following = filtered
    .filter((lease) => isListed(lease, query, nowMs))
    .map((lease) => ({ lease, position: positionOf(lease, query.sortField) }))
    .filter(({ position }) => after === null || compare(position, after) > 0)
    .sort((a, b) => compare(a.position, b.position));
  const page = following.slice(0, query.limit);
  const isLast = following.length <= query.limit;
  return {
    leases: page.map(({ lease }) => lease),
    next: isLast ? null : (page.at(-1)?.position ?? null),
    ...countStates(query.isUncounted === true ? [] : filtered, nowMs),
  };
}

function passes(lease: SeenLease, filter: ListFilter): boolean {
  const { text, resourcePrefix, owner, ownerPrefix, client, fencingToken, visible, askedMin } =
    filter;
  const texts = [lease.resource, lease.owner, lease.client ?? ''];
  return (
    (text === null || texts.some((candidate) => candidate.includes(text))) &&
    (resourcePrefix === null || lease.resource.startsWith(resourcePrefix)) &&
    (owner === null || lease.owner === owner) &&
    (ownerPrefix === null || lease.owner.startsWith(ownerPrefix)) &&
    (client === null || lease.client === client) &&
    (fencingToken === null || lease.fencingToken === fencingToken) &&
    (visible === null || isCovered(lease.resource, visible)) &&
    (askedMin === null || askedMin <= (lease.contention?.owners ?? 0))
  );
}

function isListed(lease: Lease, query: ListQuery, nowMs: number): boolean {
  const hasState = query.state === 'all' || stateAt(lease, nowMs) === query.state;
  return hasState && (query.condition === null || conditionAt(lease, nowMs) === query.condition);
}

function countStates(
  leases: readonly SeenLease[],
  nowMs: number,
): { counts: ListCounts; areCountsCapped: boolean } {
  const states = leases.map((lease) => stateAt(lease, nowMs));
  const conditions = leases.map((lease) => conditionAt(lease, nowMs));
  const counts: ListCounts = {
    active: states.filter((state) => state === 'active').length,
    expired: states.filter((state) => state === 'expired').length,
    expiring: conditions.filter((condition) => condition === 'expiring').length,
    silent: conditions.filter((condition) => condition === 'silent').length,
    closed: conditions.filter((condition) => condition === 'closed').length,
    asked: leases.filter(({ contention }) => contention !== undefined).length,
  };
  const cap = (count: number) => Math.min(count, limits.countMax);
  return {
    counts: {
      active: cap(counts.active),
      expired: cap(counts.expired),
      expiring: cap(counts.expiring),
      silent: cap(counts.silent),
      closed: cap(counts.closed),
      asked: cap(counts.asked),
    },
    areCountsCapped: Object.values(counts).some((count) => count > limits.countMax),
  };
}
