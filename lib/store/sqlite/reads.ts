import { eventsPage } from '../events-page';
import type { ListQuery } from '../../locks/lock-store';
import { listWithCounts } from '../list-page';
import type { Counted } from '../list-parts';
import type { LockReads } from '../lock-reads';
import { lockUsageEvents, parseEndedReport, parseEventsBranches, parseUsage } from '../reports';
import type { SqliteConnection } from './connection';
import * as rows from './rows';
import { askersStatement } from './statements/contention';
import { readEventsStatement } from './statements/events';
import { feedStatement, tallyStatement } from './statements/feed';
import { inspectStatement } from './statements/lease';
import { listStatement } from './statements/list';
import { endedStatement } from './statements/upkeep';
import { lockUsageStatement, usageStatement } from './statements/usage';

/**
 * @param clock an SQL expression for now in milliseconds.
 * @param monotonicMs this process's monotonic clock.
 */
export function createReads(
  connection: SqliteConnection,
  clock: string,
  monotonicMs: () => number,
): LockReads {
  const list = async (query: ListQuery, counted: Counted) => {
    const [found] = await connection.transaction([listStatement(query, clock, counted)]);
    return rows.parseListed(found);
  };
  return {
    async inspect(resource) {
      const readAtMs = monotonicMs();
      const [found] = await connection.transaction([inspectStatement(clock, resource)]);
      const { lease, nowMs } = rows.parseInspected(found);
      return { outcome: lease, nowMs, readAtMs };
    },

    list: listWithCounts({ monotonicMs, run: list, runBeside: list }),

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
      return { outcome: parseUsage(usage, query), nowMs, readAtMs };
    },

    async events(query) {
      const [found] = await connection.transaction([readEventsStatement(query)]);
      return eventsPage(query, parseEventsBranches(rows.oneJson(found)));
    },

    async endedLeases(query) {
      const readAtMs = monotonicMs();
      const [found] = await connection.transaction([endedStatement(query, clock)]);
      const { nowMs, entries } = parseEndedReport(rows.groupReport(found));
      return { outcome: entries, nowMs, readAtMs };
    },
    async feed(query) {
      const [found] = await connection.transaction([feedStatement(query)]);
      return rows.parseFeedRows(found, query);
    },

    async tally(query) {
      const [found] = await connection.transaction([tallyStatement(query)]);
      return rows.parseTallyRows(found, query);
    },
  };
}
