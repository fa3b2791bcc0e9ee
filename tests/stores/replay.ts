import { expect } from 'vitest';

import type { LockEvent } from '@/lib/locks/events';

/** The lease that a history says there is, as far as events tell. */
export interface Replayed {
  readonly owner: string | null;
  readonly client: string | null;
  readonly fencingToken: number;
  readonly isHold: boolean;
  readonly expiresAtMs: number;
}

/**
 * Plays a resource's history from its first event and fails the test at the first line that the rules forbid: a grant of
 * a lock that somebody holds, an end of a lease that is not the current one, a token that does not grow. Renewals leave
 * no line, so the leases in question must not have been renewed to another expiry.
 *
 * @returns the lease at the end, or null.
 */
export function replay(history: readonly LockEvent[]): Replayed | null {
  let lease: Replayed | null = null;
  let largestToken = 0;
  for (const event of history) {
    const told = `${event.kind} of ${String(event.fencingToken)} in ${event.resource ?? ''}`;
    const isLive = lease !== null && event.atMs < lease.expiresAtMs;
    switch (event.kind) {
      case 'acquired':
        expect(lease, told).toBeNull();
        break;
      case 'reacquired':
        expect(isLive && !lease?.isHold, told).toBe(true);
        expect([event.owner, event.client], told).toEqual([lease?.owner, lease?.client]);
        break;
      case 'claimed':
        expect(lease !== null && !isLive, told).toBe(true);
        expect(event.previousOwner, told).toBe(lease?.owner);
        break;
      case 'released':
      case 'force_released':
        expect(event.fencingToken, told).toBe(lease?.fencingToken);
        expect(isLive && !lease?.isHold, told).toBe(true);
        break;
      case 'cleared':
        expect(event.fencingToken, told).toBe(lease?.fencingToken);
        expect(isLive, told).toBe(false);
        break;
      case 'reopened':
        expect(event.fencingToken, told).toBe(lease?.fencingToken);
        expect(isLive && lease?.isHold, told).toBe(true);
        break;
      case 'held':
        // A hold that evicts is preceded by the event of the lease's end; one that is prolonged keeps its token.
        if (isLive) expect(event.fencingToken, told).toBe(lease?.fencingToken);
        break;
      case 'release_requested':
        expect(event.fencingToken, told).toBe(lease?.fencingToken);
        break;
      case 'noticed':
      case 'expired':
      case 'renewed':
      case 'contended':
      case 'signed_in':
      case 'sign_in_failed':
      case 'key_created':
      case 'key_rotated':
      case 'key_revoked':
      case 'member_added':
      case 'member_changed':
      case 'member_removed':
        break;
    }
    lease = after(event, lease);
    if (lease !== null && isGrant(event)) {
      const isProlonged = event.kind === 'held' && lease.fencingToken === largestToken;
      if (!isProlonged) expect(lease.fencingToken, told).toBeGreaterThan(largestToken);
      largestToken = lease.fencingToken;
    }
  }
  return lease;
}

export function isGrant({ kind }: LockEvent): boolean {
  return kind === 'acquired' || kind === 'reacquired' || kind === 'claimed' || kind === 'held';
}

function after(event: LockEvent, lease: Replayed | null): Replayed | null {
  if (isGrant(event)) {
    return {
      owner: event.owner,
      client: event.client,
      fencingToken: event.fencingToken ?? 0,
      isHold: event.kind === 'held',
      expiresAtMs: event.expiresAtMs ?? 0,
    };
  }
  return isEnd(event) ? null : lease;
}

function isEnd({ kind }: LockEvent): boolean {
  return (
    kind === 'released' || kind === 'force_released' || kind === 'cleared' || kind === 'reopened'
  );
}
