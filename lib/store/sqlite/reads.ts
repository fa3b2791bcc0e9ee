import { PrismaClient } from '@/generated/prisma-sqlite/client';

import type { Lease } from '../../locks/lease';
import { limits } from '../../locks/limits';
import type { Dated, EventsPage, EventsQuery, ListPage, ListQuery } from '../../locks/lock-store';
import type { SqliteConnection } from './connection';
import { prismaAdapterOf } from './prisma-adapter';
import * as rows from './rows';
import { inspectStatement } from './statements/lease';
import { countsStatement, pageStatement, sortValueOf } from './statements/list';

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
      const [counted, page] = await connection.transaction([
        countsStatement(query.filter, clock),
        pageStatement(query, clock),
      ]);
      const [nowMs = 0, ...counts] = rows.parseNumbers(counted);
      return { outcome: pageOf(query, rows.parseLeases(page), counts), nowMs, readAtMs };
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

/** @param found one lease more than the page holds, if there is another page. */
function pageOf(query: ListQuery, found: readonly Lease[], counts: readonly number[]): ListPage {
  const leases = found.slice(0, query.limit);
  const last = found.length > query.limit ? leases.at(-1) : undefined;
  const [active = 0, expired = 0, expiring = 0, silent = 0, closed = 0] = counts.map((count) =>
    Math.min(count, limits.countMax),
  );
  return {
    leases,
    next: last === undefined ? null : { value: sortValueOf(last, query.sortField), id: last.id },
    counts: { active, expired, expiring, silent, closed, asked: 0 },
    areCountsCapped: counts.some((count) => count > limits.countMax),
  };
}
