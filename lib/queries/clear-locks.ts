import { mutationOptions } from '@tanstack/react-query';

import {
  bulkReleaseAnswer,
  type BulkReleaseOnWire,
  type BulkReleaseOutcome,
} from '../contract/answers';
import { limits } from '../contract/limits';
import { ApiError, isOutcomeUnknown } from './api-error';
import { fetchJson } from './fetch-json';

/** The name and the fencing token that were on screen. */
export interface LeaseSeen {
  readonly resource: string;
  readonly fencingToken: number;
}

export interface ClearRequest {
  readonly locks: readonly LeaseSeen[];
  readonly reason: string | null;
}

export interface ClearResult {
  readonly cleared: number;
  readonly skipped: readonly {
    resource: string;
    outcome: Exclude<BulkReleaseOutcome, 'released'>;
  }[];
  /** Those of a group that the server did not answer for, twice; they may be cleared or not. */
  readonly unanswered: readonly string[];
}

/** Clears expired locks in groups; live ones among them are left alone by the server, whatever is sent. */
export const clearOptions = mutationOptions({
  mutationKey: ['clear'],
  networkMode: 'always',
  mutationFn: clearLocks,
});

async function clearLocks({ locks, reason }: ClearRequest): Promise<ClearResult> {
  let cleared = 0;
  const skipped: ClearResult['skipped'][number][] = [];
  const unanswered: string[] = [];
  for (let start = 0; start < locks.length; start += limits.bulkReleaseMax) {
    const group = locks.slice(start, start + limits.bulkReleaseMax);
    const results = await clearGroup(group, reason);
    if (results === null) unanswered.push(...group.map((lock) => lock.resource));
    for (const { resource, outcome } of results ?? []) {
      if (outcome === 'released') cleared += 1;
      else skipped.push({ resource, outcome });
    }
  }
  return { cleared, skipped, unanswered };
}

/**
 * A clear names leases, so it may be sent twice: what the first try cleared is `not-found` to the second, and counts as
 * cleared. Null when neither was answered.
 */
async function clearGroup(
  group: readonly LeaseSeen[],
  reason: string | null,
): Promise<BulkReleaseOnWire['results'] | null> {
  const send = () =>
    fetchJson('/api/force-release', {
      schema: bulkReleaseAnswer,
      method: 'POST',
      timeoutMs: 30_000,
      body: {
        only_expired: true,
        ...(reason === null ? {} : { reason }),
        locks: group.map((lock) => ({
          resource: lock.resource,
          fencing_token: lock.fencingToken,
        })),
      },
    });
  try {
    return (await send()).results;
  } catch (error) {
    if (!(error instanceof ApiError) || !isOutcomeUnknown(error)) throw error;
  }
  try {
    const { results } = await send();
    return results.map((result) =>
      result.outcome === 'not-found' ? { ...result, outcome: 'released' } : result,
    );
  } catch (error) {
    if (!(error instanceof ApiError) || !isOutcomeUnknown(error)) throw error;
    return null;
  }
}
