import type {
  AskerOnWire,
  EventOnWire,
  ForcedOnWire,
  HolderOnWire,
  LockOnWire,
} from '@/lib/contract/answers';
import type { Asker, Contention } from '@/lib/locks/contention';
import type { LockEvent } from '@/lib/locks/events';
import { conditionAt, renewEveryMs, stateAt, type Forced, type Lease } from '@/lib/locks/lease';
import type { SeenLease } from '@/lib/locks/lock-store';

/** From the domain's camelCase and milliseconds to the wire's snake_case and RFC 3339. */

export function lockOnWire(lease: SeenLease, nowMs: number): LockOnWire {
  return {
    id: lease.id,
    resource: lease.resource,
    owner: lease.owner,
    acquired_at: timeOnWire(lease.acquiredAtMs),
    expires_at: timeOnWire(lease.expiresAtMs),
    renewed_at: lease.renewedAtMs === null ? null : timeOnWire(lease.renewedAtMs),
    renew_count: lease.renewCount,
    renew_every_ms: renewEveryMs(lease),
    ttl_ms: lease.ttlMs,
    fencing_token: lease.fencingToken,
    state: stateAt(lease, nowMs),
    condition: conditionAt(lease, nowMs),
    remaining_ms: Math.max(0, lease.expiresAtMs - nowMs),
    client: lease.client,
    held_by_operator: lease.hold,
    release_requested:
      lease.releaseRequested === null
        ? null
        : {
            by: lease.releaseRequested.by,
            reason: lease.releaseRequested.reason,
            at: timeOnWire(lease.releaseRequested.atMs),
          },
    contention: lease.contention === undefined ? null : contentionOnWire(lease.contention),
    metadata: lease.metadata,
  };
}

function contentionOnWire({ attempts, owners, lastOwner, lastAtMs }: Contention) {
  return { attempts, owners, last_owner: lastOwner, last_at: timeOnWire(lastAtMs) };
}

export function askerOnWire(asker: Asker): AskerOnWire {
  return {
    owner: asker.owner,
    client: asker.client,
    attempts: asker.attempts,
    first_at: timeOnWire(asker.firstAtMs),
    last_at: timeOnWire(asker.lastAtMs),
  };
}

export function holderOnWire(lease: Lease): HolderOnWire {
  return {
    id: lease.id,
    owner: lease.owner,
    client: lease.client,
    acquired_at: timeOnWire(lease.acquiredAtMs),
    expires_at: timeOnWire(lease.expiresAtMs),
    fencing_token: lease.fencingToken,
    held_by_operator: lease.hold,
    metadata: lease.metadata,
  };
}

export function forcedOnWire(forced: Forced): ForcedOnWire {
  return { by: forced.by, reason: forced.reason, at: timeOnWire(forced.atMs) };
}

export function eventOnWire(event: LockEvent): EventOnWire {
  return {
    id: event.id,
    at: timeOnWire(event.atMs),
    kind: event.kind,
    resource: event.resource,
    owner: event.owner,
    fencing_token: event.fencingToken,
    expires_at: event.expiresAtMs === null ? null : timeOnWire(event.expiresAtMs),
    previous_owner: event.previousOwner,
    client: event.client,
    actor: event.actor,
    reason: event.reason,
    count: event.count,
    held_ms: event.heldMs,
    request_id: event.requestId,
    subject: event.subject,
  };
}

const secondsKept = 4096;
const secondsOnWire = new Map<number, string>();

/**
 * RFC 3339 with milliseconds. Answers given close to one another share their seconds, and Next slows `Date` down in its
 * process, so that formatting two times would cost as much as checking the whole body: whole seconds are kept.
 */
export function timeOnWire(ms: number): string {
  const second = Math.floor(ms / 1000);
  let text = secondsOnWire.get(second);
  if (text === undefined) {
    if (secondsOnWire.size >= secondsKept) secondsOnWire.clear();
    text = new Date(second * 1000).toISOString().slice(0, -4);
    secondsOnWire.set(second, text);
  }
  return `${text}${String(ms - second * 1000).padStart(3, '0')}Z`;
}
