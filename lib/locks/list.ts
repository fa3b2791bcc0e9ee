import type { LockContext } from './lock-rules';
import type { ListPage, ListQuery } from './lock-store';

/**
 * One page of the locks that match, and how many there are of each state and condition, as of one moment of the store's
 * clock: told by a later one, a lock among the active could be expired.
 */
export async function list(
  context: LockContext,
  query: ListQuery,
): Promise<{ readonly page: ListPage; readonly nowMs: number }> {
  const dated = await context.store.list(query);
  return { page: dated.outcome, nowMs: dated.nowMs };
}
