import { PrismaClient } from '@/generated/prisma-sqlite/client';

import type { Lease } from '../../locks/lease';
import { limits } from '../../locks/limits';
import type {
  Dated,
  EventsPage,
  EventsQuery,
  ListCounts,
  ListPage,
  ListQuery,
} from '../../locks/lock-store';
import { sortValueOf } from '../../locks/sort-value';
import type { SqliteConnection } from './connection';
import { prismaAdapterOf } from './prisma-adapter';
import * as rows from './rows';
import { inspectStatement } from './statements/lease';
import { listStatement } from './statements/list';

/** What only reads. Each is one transaction, so that its parts agree with one another. */
export interface SqliteReads {
  readonly inspect: (resource: string) => Promise<Dated<Lease | null>>;
  readonly list: (query: ListQuery) => Promise<Dated<ListPage>>;
  readonly events: (query: EventsQuery) => Promise<EventsPage>;
  readonly close: () => Promise<void>;
}

/**
 * @param clock an SQL expression for now in milliseconds.
 * @param monotonicMs this process's monotonic clock.
 */
export function createReads(
  connection: SqliteConnection,
  clock: string,
  monotonicMs: () => number,
): SqliteReads {
  const prisma = new PrismaClient({ adapter: prismaAdapterOf(connection) });
  return {
    async inspect(resource) {
      const readAtMs = monotonicMs();
      const [found] = await connection.transaction([inspectStatement(clock, resource)]);
      const { lease, nowMs } = rows.parseInspected(found);
      return { outcome: lease, nowMs, readAtMs };
    },

    async list(query) {
      const readAtMs = monotonicMs();
      const [found] = await connection.transaction([listStatement(query, clock)]);
      const { nowMs, ...listed } = rows.parseListed(found);
      return { outcome: pageOf(query, listed), nowMs, readAtMs };
    },

    async events(query) {
      const found = await prisma.lockEvent.findMany({
        where: {
          resource: query.resource,
          ...(query.beforeId === null ? {} : { id: { lt: Number(query.beforeId) } }),
        },
        orderBy: { id: 'desc' },
        take: query.limit + 1,
      });
      const events = found.slice(0, query.limit).map(rows.eventOfRow);
      const hasMore = found.length > query.limit;
      return { events, nextBeforeId: hasMore ? (events.at(-1)?.id ?? null) : null };
    },

    close: () => prisma.$disconnect(),
  };
}

/** @param found one lease more than the page holds, if there is another page; and the exact counts. */
function pageOf(
  query: ListQuery,
  found: { readonly leases: readonly Lease[]; readonly counts: Omit<ListCounts, 'asked'> },
): ListPage {
  const leases = found.leases.slice(0, query.limit);
  const last = found.leases.length > query.limit ? leases.at(-1) : undefined;
  const { active, expired, expiring, silent, closed } = found.counts;
  const capped = (count: number) => Math.min(count, limits.countMax);
  return {
    leases,
    next: last === undefined ? null : { value: sortValueOf(last, query.sortField), id: last.id },
    counts: {
      active: capped(active),
      expired: capped(expired),
      expiring: capped(expiring),
      silent: capped(silent),
      closed: capped(closed),
      asked: 0,
    },
    areCountsCapped: Object.values(found.counts).some((count) => count > limits.countMax),
  };
}
