import { queryOptions } from '@tanstack/react-query';
import type { z } from 'zod';

import { listAnswer, statusAnswer } from '../contract/answers';
import { fetchJson } from './fetch-json';
import { withQuery } from './paths';
import { pollingOptions, type Polling } from './polling';
import { anchorOf, type ServerAnchor } from './server-anchor';

type StatusOnWire = z.infer<typeof statusAnswer>;

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
      const path = withQuery('/api/locks', { limit: 1 });
      const { now } = await fetchJson(path, { schema: listAnswer, signal });
      const tookMs = performance.now() - sentMs;
      // The store read its clock at some moment in between.
      const offsetMs = Date.now() - tookMs / 2 - Date.parse(now);
      return { ...status, anchor: anchorOf(now), offsetMs, offsetWithinMs: tookMs / 2 };
    },
    refetchInterval: isPaused ? false : statusEveryMs,
  });
}
