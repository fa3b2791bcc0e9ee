import { limits } from '../locks/limits';
import type { Dated, ListCounts, ListPage, ListQuery, SeenLease } from '../locks/lock-store';
import { sortValueOf } from '../locks/sort-value';
import type { Counted } from './list-parts';
import { createSlowReads } from './slow-reads';

/** What a list's statement found: one lease more than the page holds, if there is another page; and the counts. */
interface Found {
  readonly nowMs: number;
  readonly leases: readonly SeenLease[];
  readonly counts: ListCounts;
}

type ListStatement = (query: ListQuery, counted: Counted) => Promise<Found>;
type ConditionCounts = Pick<ListCounts, 'expiring' | 'silent' | 'closed'>;

interface ListReader {
  /** This process's monotonic clock. */
  readonly monotonicMs: () => number;
  readonly run: ListStatement;
  /** The same where nobody waits for the answer. */
  readonly runBeside: ListStatement;
}

/**
 * The list of a database. To count the conditions each lock that passes the filters must be looked at. A page waits for no
 * more of that than the counts are exact to; with more locks, the rest is counted beside the calls, once for all who ask,
 * and told by the pages that follow. Until then those counts are of the locks that were looked at: at least so many.
 */
export function listWithCounts(reader: ListReader): (query: ListQuery) => Promise<Dated<ListPage>> {
  const { monotonicMs, run } = reader;
  const recall = recounting(reader);
  return async (query) => {
    const readAtMs = monotonicMs();
    const isCounted = query.isUncounted !== true;
    const { nowMs, leases, counts } = await run(query, isCounted ? 'up-to-exact' : 'nothing');
    // Where the counts are exact, they are exact now.
    const all = counts.active > limits.countMax ? recall(query) : null;
    return { outcome: pageOf(query, leases, { ...counts, ...all }), nowMs, readAtMs };
  };
}

/** Recalls what was counted last under the same filters, and counts anew when that is outdated: one at a time. */
function recounting({
  monotonicMs,
  runBeside,
}: ListReader): (query: ListQuery) => ConditionCounts | null {
  const slow = createSlowReads<ConditionCounts | null>(monotonicMs);
  let isCounting = false;

  async function recount(query: ListQuery, key: string): Promise<void> {
    isCounting = true;
    const startMs = monotonicMs();
    let found = slow.recall(key)?.found ?? null;
    try {
      const { counts } = await runBeside({ ...query, limit: 1, after: null }, 'all');
      found = { expiring: counts.expiring, silent: counts.silent, closed: counts.closed };
    } catch {
      // Told as before, and tried again as late as after a count that took as long.
    }
    slow.keep(key, found, monotonicMs() - startMs);
    isCounting = false;
  }

  return (query) => {
    const key = JSON.stringify(query.filter);
    const recalled = slow.recall(key);
    if (!isCounting && (recalled === null || recalled.isOutdated)) void recount(query, key);
    return recalled?.found ?? null;
  };
}

/** @param found one lease more than the page holds, if there is another page. */
export function pageOf(
  query: ListQuery,
  found: readonly SeenLease[],
  counts: ListCounts,
): ListPage {
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
