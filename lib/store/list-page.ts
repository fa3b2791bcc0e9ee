import { limits } from '../locks/limits';
import type { ListCounts, ListPage, ListQuery, SeenLease } from '../locks/lock-store';
import { sortValueOf } from '../locks/sort-value';

/** @param found one lease more than the page holds, if there is another page; and the exact counts. */
export function pageOf(
  query: ListQuery,
  found: { readonly leases: readonly SeenLease[]; readonly counts: ListCounts },
): ListPage {
  const leases = found.leases.slice(0, query.limit);
  const last = found.leases.length > query.limit ? leases.at(-1) : undefined;
  const { active, expired, expiring, silent, closed, asked } = found.counts;
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
    areCountsCapped: Object.values(found.counts).some((count) => count > limits.countMax),
  };
}
