import { queryOptions } from '@tanstack/react-query';

import { contentionAnswer } from '../contract/answers';
import { lockStatsAnswer, statsAnswer, type StatsOnWire, type StatsRange } from '../contract/stats';
import { fetchJson } from './fetch-json';
import { lockPath, withQuery } from './paths';
import { pollingOptions, type Polling } from './polling';
import { anchorOf, type ServerAnchor } from './server-anchor';

/** What is usual changes slowly, and is dearer to tell than a lock. */
const usualEveryMs = 30_000;
const statsEveryMs = 10_000;

/** Who asks for a resource: the longest first. */
export function askersOptions(resource: string, polling: Polling) {
  return queryOptions({
    ...pollingOptions(polling),
    queryKey: ['lock', resource, 'contention'],
    queryFn: ({ signal }) =>
      fetchJson(lockPath(resource, 'contention'), { schema: contentionAnswer, signal }),
  });
}

/** What was usual for a resource in the last week. Not asked for anew with each of its events. */
export function lockStatsOptions(resource: string, { isPaused }: Polling) {
  return queryOptions({
    ...pollingOptions({ isPaused }),
    queryKey: ['usual', resource],
    queryFn: ({ signal }) =>
      fetchJson(lockPath(resource, 'stats'), { schema: lockStatsAnswer, signal }),
    staleTime: usualEveryMs,
    refetchInterval: isPaused ? false : usualEveryMs,
  });
}

export interface StatsSighting extends StatsOnWire {
  readonly anchor: ServerAnchor;
}

/** What went on among all locks over a range up to now. */
export function statsOptions(range: StatsRange, { isPaused }: Polling) {
  return queryOptions({
    ...pollingOptions({ isPaused }),
    queryKey: ['stats', range],
    queryFn: async ({ signal }): Promise<StatsSighting> => {
      const path = withQuery('/api/stats', { range });
      const answer = await fetchJson(path, { schema: statsAnswer, signal });
      return { ...answer, anchor: anchorOf(answer.now) };
    },
    refetchInterval: isPaused ? false : statsEveryMs,
  });
}
