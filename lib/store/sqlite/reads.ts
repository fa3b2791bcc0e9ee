import { eventsPage } from '../events-page';
import { pageOf } from '../list-page';
import type { LockReads } from '../lock-reads';
import { parseEndedReport, parseEventsBranches } from '../reports';
import type { SqliteConnection } from './connection';
import * as rows from './rows';
import { readEventsStatement } from './statements/events';
import { feedStatement, tallyStatement } from './statements/feed';
import { inspectStatement } from './statements/lease';
import { listStatement } from './statements/list';
import { endedStatement } from './statements/upkeep';

/**
 * @param clock an SQL expression for now in milliseconds.
 * @param monotonicMs this process's monotonic clock.
 */
export function createReads(
  connection: SqliteConnection,
  clock: string,
  monotonicMs: () => number,
): LockReads {
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
