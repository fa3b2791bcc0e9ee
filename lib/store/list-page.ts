import { limits } from '../locks/limits';
import type { Dated, ListCounts, ListPage, ListQuery, SeenLease } from '../locks/lock-store';
import { sortValueOf } from '../locks/sort-value';
import type { ConditionCounts, FoundCounts } from './reports';
import type { Counted } from './list-parts';
import { createSlowReads } from './slow-reads';

/** What a list's statement found: one lease more than the page holds, if there is another page; and the counts. */
interface Found {
  readonly nowMs: number;
  readonly leases: readonly SeenLease[];
  readonly counts: FoundCounts;
}

const noConditions: ConditionCounts = { expiring: 0, silent: 0, closed: 0 };

/**
 * The list of a database. To count the conditions each lock that passes the filters is looked at; with more than the
 * counts are exact to, those of the conditions may be some seconds old. The page itself and the rest never are.
 *
 * @param monotonicMs this process's monotonic clock.
 * @param run one statement, with as many counts as it says.
 */
export function listWithCounts(
  monotonicMs: () => number,
  run: (query: ListQuery, counted: Counted) => Promise<Found>,
): (query: ListQuery) => Promise<Dated<ListPage>> {
  const slow = createSlowReads<ConditionCounts>(monotonicMs);
  return async (query) => {
    const key = JSON.stringify(query.filter);
    const recalled = slow.recall(key);
    const readAtMs = monotonicMs();
    const counted = countedOf(query, recalled !== null);
    const { nowMs, leases, counts } = await run(query, counted);
    const conditions = counts.conditions ?? recalled ?? noConditions;
    // Where the counts are exact, they are exact now.
    if (recalled === null && counts.states.active > limits.countMax) {
      slow.keep(key, conditions, monotonicMs() - readAtMs);
    }
    return { outcome: pageOf(query, leases, { ...counts.states, ...conditions }), nowMs, readAtMs };
  };
}

function countedOf({ isUncounted }: ListQuery, hasRecalled: boolean): Counted {
  if (isUncounted === true) return 'nothing';
  return hasRecalled ? 'states' : 'states-and-conditions';
}

function pageOf(query: ListQuery, found: readonly SeenLease[], counts: ListCounts): ListPage {
  const leases = found.slice(0, query.limit);
  const last = found.length > query.limit ? leases.at(-1) : undefined;
  const { active, expired, expiring, silent, closed, asked } = counts;
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
      asked: capped(asked),
    },
    areCountsCapped: Object.values(counts).some((count) => count > limits.countMax),
  };
}
