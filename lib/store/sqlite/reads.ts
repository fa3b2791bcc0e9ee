import { PrismaClient } from '@/generated/prisma-sqlite/client';

import { listWithCounts } from '../list-page';
import type { LockReads } from '../lock-reads';
import type { SqliteConnection } from './connection';
import { prismaAdapterOf } from './prisma-adapter';
import { readEvents } from './read-events';
import { lockUsageEvents, usageFound } from '../reports';
import * as rows from './rows';
import { askersStatement } from './statements/contention';
import { inspectStatement } from './statements/lease';
import { listStatement } from './statements/list';
import { lockUsageStatement, usageStatement } from './statements/usage';

/**
 * @param clock an SQL expression for now in milliseconds.
 * @param monotonicMs this process's monotonic clock.
 */
export function createReads(
  connection: SqliteConnection,
  clock: string,
  monotonicMs: () => number,
): LockReads & { close(): Promise<void> } {
  const prisma = new PrismaClient({ adapter: prismaAdapterOf(connection) });
  return {
    async inspect(resource) {
      const readAtMs = monotonicMs();
      const [found] = await connection.transaction([inspectStatement(clock, resource)]);
      const { lease, nowMs } = rows.parseInspected(found);
      return { outcome: lease, nowMs, readAtMs };
    },

    list: listWithCounts(monotonicMs, async (query, hasConditions) => {
      const [found] = await connection.transaction([listStatement(query, clock, hasConditions)]);
      return rows.parseListed(found);
    }),

    async askers(resource) {
      const readAtMs = monotonicMs();
      const [found] = await connection.transaction([askersStatement(clock, resource)]);
      const { askers, nowMs } = rows.parseAskers(found);
      return { outcome: askers, nowMs, readAtMs };
    },

    async lockUsage(query) {
      const readAtMs = monotonicMs();
      const [found] = await connection.transaction([lockUsageStatement(clock, query)]);
      const [nowMs, events] = rows.groupReport(found);
      return { outcome: lockUsageEvents.parse(events), nowMs, readAtMs };
    },

    async usage(query) {
      const readAtMs = monotonicMs();
      const [found] = await connection.transaction([usageStatement(clock, query)]);
      const [nowMs, usage] = rows.groupReport(found);
      return { outcome: usageFound.parse(usage), nowMs, readAtMs };
    },

    events: (query) => readEvents(prisma, query),

    close: () => prisma.$disconnect(),
  };
}
