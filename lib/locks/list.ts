import { storeNowMs, type LockContext } from './lock-rules';
import type { ListPage, ListQuery } from './lock-store';

/** One page of the locks that match, and how many there are of each state and condition. */
export async function list(
  context: LockContext,
  query: ListQuery,
): Promise<{ readonly page: ListPage; readonly nowMs: number }> {
  const dated = await context.store.list(query);
  return { page: dated.outcome, nowMs: storeNowMs(dated, context) };
}
