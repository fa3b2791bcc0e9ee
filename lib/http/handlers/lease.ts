import { acquire } from '@/lib/locks/acquire';
import { check } from '@/lib/locks/check';
import { release } from '@/lib/locks/release';
import { renew } from '@/lib/locks/renew';

import { Problem } from '../problem';
import { handle } from '../route';
import { forcedOnWire, holderOnWire, lockOnWire } from '../wire';

/** The verbs of the services that hold locks. */

export const acquireLock = handle('acquire', async ({ parameters, body }, context) => {
  const { services, caller, requestId } = context;
  const result = await acquire(services.locks, {
    resource: parameters.resource,
    owner: body.owner,
    client: caller.client,
    ttlMs: body.ttlMs,
    metadata: body.metadata,
    requestId,
  });
  switch (result.kind) {
    case 'granted':
      services.access.calls.noteHeld(caller, parameters.resource, body.ttlMs);
      return {
        status: 200,
        outcome: 'granted',
        body: { acquired: true, lock: lockOnWire(result.lease, result.nowMs) },
      };
    case 'held':
      return {
        status: 200,
        outcome: 'held',
        headers: { 'Retry-After': String(Math.ceil(result.retryAfterMs / 1000)) },
        body: {
          acquired: false,
          resource: parameters.resource,
          holder: holderOnWire(result.holder),
          retry_after_ms: result.retryAfterMs,
        },
      };
  }
});

export const renewLock = handle('renew', async ({ parameters, body }, context) => {
  const { services, caller, requestId } = context;
  const { resource } = parameters;
  const result = await renew(services.locks, {
    resource,
    owner: body.owner,
    client: caller.client,
    ttlMs: body.ttlMs,
    fencingToken: body.fencingToken,
    requestId,
  });
  switch (result.kind) {
    case 'renewed':
      services.access.calls.noteHeld(caller, resource, result.lease.expiresAtMs - result.nowMs);
      return { status: 200, body: { lock: lockOnWire(result.lease, result.nowMs) } };
    case 'not-found':
      throw noLock(resource);
    case 'expired':
      throw new Problem(
        'lock-expired',
        `This lease on ${resource} is over. Acquire the lock again.`,
      );
    case 'lost': {
      const { forced } = result;
      const how = forced === null ? 'belongs to another lease by now' : `was ended by ${forced.by}`;
      throw new Problem(
        'lock-lost',
        `The lock ${resource} ${how}. Stop the work that it protects.`,
        {
          extras: forced === null ? {} : { forced: forcedOnWire(forced) },
        },
      );
    }
  }
});

export const releaseLock = handle('release', async ({ parameters, body, query }, context) => {
  const { services, caller, requestId } = context;
  const { resource } = parameters;
  const { owner, fencingToken } = body ?? query;
  const outcome = await release(services.locks, {
    resource,
    owner,
    client: caller.client,
    fencingToken,
    requestId,
  });
  switch (outcome.kind) {
    case 'released':
      services.access.calls.noteReleased(caller, resource);
      return { status: 204 };
    case 'not-found':
      throw noLock(resource);
    case 'expired':
      throw new Problem(
        'lock-expired',
        `This lease on ${resource} was over before it was released: the work outlasted its TTL.`,
        { status: 404 },
      );
    case 'not-owner':
      throw new Problem(
        'not-owner',
        `The lock ${resource} belongs to another lease. Nothing was released.`,
      );
  }
});

export const checkToken = handle('check', async ({ parameters, body }, { services }) => {
  const { isValid, fencingToken, state } = await check(services.locks, {
    resource: parameters.resource,
    fencingToken: body.fencingToken,
  });
  return { status: 200, body: { valid: isValid, fencing_token: fencingToken, state } };
});

export function noLock(resource: string): Problem {
  return new Problem('not-found', `There is no lock on ${resource}.`);
}
