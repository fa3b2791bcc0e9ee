import { mutationOptions } from '@tanstack/react-query';

import { forceReleaseAnswer, type EventOnWire, type LockOnWire } from '../contract/answers';
import { ApiError, isOutcomeUnknown } from './api-error';
import { fetchJson, newRequestId } from './fetch-json';
import { inspectLock } from './inspect-lock';
import { fetchEvents } from './lock-events';
import { lockPath } from './paths';

/** A lease to be ended: the one that was on screen, and no other. */
export interface ReleaseRequest {
  readonly seen: LockOnWire;
  readonly reason: string | null;
  /** How long the resource stays closed afterwards, in whole seconds. */
  readonly holdSeconds: number;
  /** Clear: leave it alone if it is held by now. */
  readonly onlyExpired: boolean;
}

/** Contention is a value here: somebody else was faster, or nobody can say yet. */
export type ReleaseOutcome = Released | Changed | Lost;

export interface Released {
  readonly kind: 'released';
  readonly hold: LockOnWire | null;
  /** When, in milliseconds by the server; null when the answer itself told, which is now. */
  readonly atMs: number | null;
}

export interface Changed {
  readonly kind: 'changed';
  readonly current: LockOnWire | null;
  readonly events: readonly EventOnWire[];
}

/** The answer got lost. Reading back shows that the lease is still there, or it got lost as well, and nobody knows. */
export interface Lost {
  readonly kind: 'not-released' | 'unknown';
  readonly error: ApiError;
  readonly requestId: string;
}

/** Nothing was done as far as anybody knows: the same request may be sent again. */
export function isLost(outcome: ReleaseOutcome): outcome is Lost {
  return outcome.kind === 'not-released' || outcome.kind === 'unknown';
}

/** Under which the mutation cache keeps what is being released. */
export const releaseKey = ['release'] as const;

/** Force-release and clear. @throws ApiError when the server refused: nothing was changed then. */
export const releaseOptions = mutationOptions({
  mutationKey: releaseKey,
  networkMode: 'always',
  mutationFn: releaseLock,
});

export async function releaseLock(request: ReleaseRequest): Promise<ReleaseOutcome> {
  const requestId = newRequestId();
  const { seen } = request;
  try {
    const { hold } = await fetchJson(lockPath(seen.resource, 'force-release'), {
      schema: forceReleaseAnswer,
      method: 'POST',
      requestId,
      body: {
        fencing_token: seen.fencing_token,
        ...(request.reason === null ? {} : { reason: request.reason }),
        ...(request.holdSeconds === 0 ? {} : { hold_seconds: request.holdSeconds }),
        ...(request.onlyExpired ? { only_expired: true } : {}),
      },
    });
    return { kind: 'released', hold, atMs: null };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === 'lock-changed' || error.code === 'not-found') {
      const events = await eventsIfReadable(seen.resource);
      return { kind: 'changed', current: error.lock, events };
    }
    if (!isOutcomeUnknown(error)) throw error;
    return readBack(seen, requestId, error);
  }
}

/** Reads until the request shows in the history, or is seen not to have happened: it may still be under way at first. */
const readBackTries = 4;
const readBackGapMs = 1_000;

/** Of a write whose answer got lost: what the lock and its history say about it. */
async function readBack(
  seen: LockOnWire,
  requestId: string,
  error: ApiError,
): Promise<ReleaseOutcome> {
  let outcome: ReleaseOutcome = { kind: 'unknown', error, requestId };
  for (let attempt = 0; attempt < readBackTries; attempt += 1) {
    if (attempt > 0) await wait(readBackGapMs);
    const read = await readOnce(seen, requestId, error);
    if (read.kind === 'released' || read.kind === 'changed') return read;
    if (read.kind === 'not-released') outcome = read;
  }
  return outcome;
}

async function readOnce(
  seen: LockOnWire,
  requestId: string,
  error: ApiError,
): Promise<ReleaseOutcome> {
  try {
    // The lock first: an end that comes between the two reads is then in the history.
    const { lock: current } = await inspectLock(seen.resource);
    const { events } = await fetchEvents(seen.resource, {});
    const ours = events.find((event) => isEndByRequest(event, seen, requestId));
    if (ours !== undefined) {
      const hold = current !== null && current.held_by_operator !== null ? current : null;
      return { kind: 'released', hold, atMs: Date.parse(ours.at) };
    }
    if (current?.fencing_token === seen.fencing_token) {
      return { kind: 'not-released', error, requestId };
    }
    return { kind: 'changed', current, events };
  } catch (cause) {
    if (cause instanceof ApiError) return { kind: 'unknown', error: cause, requestId };
    throw cause;
  }
}

function isEndByRequest(event: EventOnWire, seen: LockOnWire, requestId: string): boolean {
  if (event.request_id !== requestId || event.fencing_token !== seen.fencing_token) return false;
  return ['force_released', 'cleared', 'reopened'].includes(event.kind);
}

/** The history tells who did it; without it the dialog can still say that it changed. */
async function eventsIfReadable(resource: string): Promise<readonly EventOnWire[]> {
  try {
    return (await fetchEvents(resource, { limit: 20 })).events;
  } catch (error) {
    if (error instanceof ApiError) return [];
    throw error;
  }
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
