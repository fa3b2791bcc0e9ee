import { listAnswer } from '../contract/answers';
import { fetchJson } from './fetch-json';
import { withQuery } from './paths';

/** The store's time now, in RFC 3339, for answers that don't carry it: of all answers, lists do. */
export async function fetchStoreNow(signal: AbortSignal): Promise<string> {
  const path = withQuery('/api/locks', { limit: 1 });
  const { now } = await fetchJson(path, { schema: listAnswer, signal });
  return now;
}
