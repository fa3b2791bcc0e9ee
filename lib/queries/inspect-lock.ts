import { queryOptions } from '@tanstack/react-query';

import { inspectAnswer, type LockOnWire } from '../contract/answers';
import { ApiError } from './api-error';
import { fetchJson } from './fetch-json';
import { lockPath, withQuery } from './paths';
import { pollingOptions, type Polling } from './polling';
import { anchorOf, type ServerAnchor } from './server-anchor';

/** One resource at one moment: its row, held or expired, or none. */
export interface LockSighting {
  readonly lock: LockOnWire | null;
  readonly anchor: ServerAnchor;
}

export function lockOptions(resource: string, polling: Polling) {
  return queryOptions({
    ...pollingOptions(polling),
    queryKey: ['lock', resource, 'now'],
    queryFn: ({ signal }) => inspectLock(resource, signal),
  });
}

/** Under an open dialog: a second apart and never paused, for what it says decides what is ended. */
export function watchedLockOptions(resource: string) {
  return queryOptions({
    ...lockOptions(resource, { isPaused: false }),
    staleTime: 0,
    refetchInterval: 1_000,
  });
}

export async function inspectLock(resource: string, signal?: AbortSignal): Promise<LockSighting> {
  try {
    const path = withQuery(lockPath(resource), { include: 'expired' });
    const { lock, now } = await fetchJson(path, { schema: inspectAnswer, signal });
    return { lock, anchor: anchorOf(now) };
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not-found') {
      // This answer carries no `now`; the HTTP date is the next best, to the second.
      const serverMs = error.answeredAtMs ?? 0;
      return { lock: null, anchor: { serverMs, monotonicMs: performance.now() } };
    }
    throw error;
  }
}
