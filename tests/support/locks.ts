import type { EventOnWire, LockOnWire } from '@/lib/contract/answers';

/** A lock for tests, of which only what matters need be said. */
export function lockOf(lock: Partial<LockOnWire>): LockOnWire {
  return {
    id: '1',
    resource: 'job:1',
    owner: 'worker-1',
    acquired_at: '2026-05-01T09:30:00.000Z',
    expires_at: '2026-05-01T09:31:00.000Z',
    renewed_at: null,
    renew_count: 0,
    renew_every_ms: null,
    ttl_ms: 60_000,
    fencing_token: 1,
    state: 'active',
    condition: null,
    remaining_ms: 30_000,
    client: null,
    held_by_operator: null,
    release_requested: null,
    contention: null,
    metadata: null,
    ...lock,
  };
}

/** An event for tests, of the lease that `lockOf` makes unless told otherwise. */
export function eventOf(event: Partial<EventOnWire> & Pick<EventOnWire, 'kind'>): EventOnWire {
  return {
    id: '1',
    at: '2026-05-01T09:30:30.000Z',
    resource: 'job:1',
    owner: 'worker-1',
    fencing_token: 1,
    expires_at: null,
    previous_owner: null,
    client: null,
    actor: null,
    reason: null,
    count: null,
    held_ms: null,
    request_id: null,
    subject: null,
    ...event,
  };
}
