import { mutationOptions } from '@tanstack/react-query';
import type { z } from 'zod';

import { oneLockAnswer, type LockOnWire } from '../contract/answers';
import { ApiError, isOutcomeUnknown } from './api-error';
import { fetchJson } from './fetch-json';
import { inspectLock } from './inspect-lock';
import { lockPath } from './paths';

export type OperateOutcome =
  | { readonly kind: 'done'; readonly lock: LockOnWire }
  | { readonly kind: 'changed'; readonly current: LockOnWire | null };

export interface AskReleaseRequest {
  readonly seen: LockOnWire;
  readonly reason: string;
}

/** Asks the holder to let go: its next renew carries the request. @throws ApiError when refused, or when not known. */
export const askReleaseOptions = mutationOptions({
  mutationKey: ['ask-release'],
  networkMode: 'always',
  mutationFn: ({ seen, reason }: AskReleaseRequest) =>
    operate({
      resource: seen.resource,
      path: lockPath(seen.resource, 'ask-release'),
      schema: oneLockAnswer,
      body: { reason, fencing_token: seen.fencing_token },
      isDone: (lock) => lock.release_requested?.reason === reason,
    }),
});

export interface HoldRequest {
  readonly resource: string;
  readonly reason: string;
  readonly ttlSeconds: number;
}

/**
 * Takes a free resource out of service. It names no lease, so that one which began while the dialog was open is never
 * evicted. @throws ApiError when refused, or when not known.
 */
export const holdOptions = mutationOptions({
  mutationKey: ['hold'],
  networkMode: 'always',
  mutationFn: ({ resource, reason, ttlSeconds }: HoldRequest) =>
    operate({
      resource,
      path: lockPath(resource, 'hold'),
      schema: oneLockAnswer,
      body: { reason, ttl_seconds: ttlSeconds },
      isDone: (lock) => lock.held_by_operator?.reason === reason,
    }),
});

interface Operation {
  readonly resource: string;
  readonly path: string;
  readonly schema: z.ZodType<{ lock: LockOnWire }>;
  readonly body: unknown;
  /** Whether a lock that was read back shows that the write happened, though its answer got lost. */
  readonly isDone: (lock: LockOnWire) => boolean;
}

async function operate(operation: Operation): Promise<OperateOutcome> {
  const { resource, path, schema, body, isDone } = operation;
  try {
    const { lock } = await fetchJson(path, { schema, method: 'POST', body });
    return { kind: 'done', lock };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === 'lock-changed' || error.code === 'not-found') {
      return { kind: 'changed', current: error.lock };
    }
    if (!isOutcomeUnknown(error)) throw error;
    const { lock } = await inspectLock(resource).catch(() => ({ lock: null }));
    if (lock !== null && isDone(lock)) return { kind: 'done', lock };
    throw error;
  }
}
