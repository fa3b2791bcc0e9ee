import { PrismaClient } from '@/generated/prisma-sqlite/client';

import type { Lease } from '../../locks/lease';
import type { Dated, EventsPage, EventsQuery, ListPage, ListQuery } from '../../locks/lock-store';
import { eventOfRow } from '../event-row';
import { pageOf } from '../list-page';
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
          ...(query.beforeId === null ? {} : { id: { lt: BigInt(query.beforeId) } }),
        },
        orderBy: { id: 'desc' },
        take: query.limit + 1,
      });
      const events = found.slice(0, query.limit).map(eventOfRow);
      const hasMore = found.length > query.limit;
      return { events, nextBeforeId: hasMore ? (events.at(-1)?.id ?? null) : null };
    },

    close: () => prisma.$disconnect(),
  };
}
