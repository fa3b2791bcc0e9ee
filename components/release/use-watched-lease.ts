'use client';

import { useQuery } from '@tanstack/react-query';

import type { EventOnWire, LockOnWire } from '@/lib/contract/answers';
import { watchedLockOptions } from '@/lib/queries/inspect-lock';
import { leaseChange, type LeaseChange } from '@/lib/queries/lease-change';
import { recentEventsOptions } from '@/lib/queries/lock-events';
import type { ServerAnchor } from '@/lib/queries/server-anchor';

export interface WatchedLease {
  /** The lease with its newest times, while it is still the one that was seen. */
  readonly lock: LockOnWire;
  readonly anchor: ServerAnchor | null;
  readonly change: LeaseChange;
  /** Changed, but the history that tells how has not been read yet. */
  readonly isChanging: boolean;
  readonly isUnreachable: boolean;
}

/** What a refused write told, newer than what was polled. */
export interface Refusal {
  readonly current: LockOnWire | null;
  readonly events: readonly EventOnWire[];
}

/** Watches the lease that a dialog is about, for as long as it is open. */
export function useWatchedLease(seen: LockOnWire, refusal: Refusal | null): WatchedLease {
  const sighting = useQuery(watchedLockOptions(seen.resource));
  // What an earlier page left in the cache may be older than what was seen.
  const fresh = sighting.isFetchedAfterMount ? sighting.data : undefined;
  const current = refusal === null ? fresh?.lock : refusal.current;
  const isAnother = current !== undefined && current?.fencing_token !== seen.fencing_token;

  const history = useQuery({ ...recentEventsOptions(seen.resource), enabled: isAnother });
  const events = history.data?.events ?? refusal?.events ?? noEvents;
  return {
    lock: current === undefined || current === null || isAnother ? seen : current,
    anchor: fresh?.anchor ?? null,
    change: current === undefined ? same : leaseChange(seen, current, events),
    isChanging: isAnother && !history.isFetched && refusal === null,
    isUnreachable: sighting.isError,
  };
}

const same: LeaseChange = { kind: 'same' };
const noEvents: readonly EventOnWire[] = [];
