import { queryOptions } from '@tanstack/react-query';

import { statusAnswer, type StatusOnWire } from '../contract/answers';
import { fetchJson } from './fetch-json';
import { pollingOptions, type Polling } from './polling';
import { anchorOf, type ServerAnchor } from './server-anchor';
import { fetchStoreNow } from './store-now';

const statusEveryMs = 10_000;

export interface StatusSighting extends StatusOnWire {
  readonly anchor: ServerAnchor;
  /** How far this browser's clock is ahead of the store's, in milliseconds, to within `offsetWithinMs`. */
  readonly offsetMs: number;
  readonly offsetWithinMs: number;
}

export function statusOptions({ isPaused }: Polling) {
  return queryOptions({
    ...pollingOptions({ isPaused }),
    queryKey: ['status'],
    queryFn: async ({ signal }): Promise<StatusSighting> => {
      const status = await fetchJson('/api/status', { schema: statusAnswer, signal });
      const sentMs = performance.now();
      const now = await fetchStoreNow(signal);
      const tookMs = performance.now() - sentMs;
      // The store read its clock at some moment in between.
      const offsetMs = Date.now() - tookMs / 2 - Date.parse(now);
      return { ...status, anchor: anchorOf(now), offsetMs, offsetWithinMs: tookMs / 2 };
    },
    refetchInterval: isPaused ? false : statusEveryMs,
  });
}
