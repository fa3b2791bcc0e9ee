import type { BulkReleaseOutcome } from '@/lib/contract/answers';
import { actorOf, mayReach } from '@/lib/access/callers';
import { askRelease } from '@/lib/locks/ask-release';
import { forceRelease } from '@/lib/locks/force-release';
import { hold } from '@/lib/locks/hold';
import type { Lease } from '@/lib/locks/lease';

import { invalid, Problem } from '../problem';
import { handle } from '../route';
import { lockOnWire } from '../wire';
import { noLock } from './lease';

/** What operators do. Each call names the lease that was seen, by its fencing token. */

export const forceReleaseLock = handle('forceRelease', async ({ parameters, body }, context) => {
  const { services, caller, requestId } = context;
  const { resource } = parameters;
  const { outcomes, nowMs } = await forceRelease(services.locks, [
    { resource, ...body, actor: actorOf(caller), requestId },
  ]);
  const [outcome] = outcomes;
  if (outcome === undefined) throw new Error('One call has one outcome');
  switch (outcome.kind) {
    case 'released':
      return {
        status: 200,
        body: {
          released: lockOnWire(outcome.released, nowMs),
          hold: outcome.hold === null ? null : lockOnWire(outcome.hold, nowMs),
        },
      };
    case 'not-found':
      throw noLock(resource);
    case 'lock-changed':
      throw changed(outcome.lease, nowMs, 'is another lease by now');
    case 'still-active':
      throw changed(
        outcome.lease,
        nowMs,
        'is active again, and only an expired lease was to be cleared',
      );
    case 'reason-required':
      throw invalid([{ field: 'reason', message: 'is required to end a live lease' }]);
  }
});

export const bulkForceRelease = handle('bulkForceRelease', async ({ body }, context) => {
  const { services, caller, requestId } = context;
  const { reason, onlyExpired, locks } = body;
  const within = locks.filter(({ resource }) => mayReach(caller, resource));
  const { outcomes } = await forceRelease(
    services.locks,
    within.map((lock) => ({
      ...lock,
      reason,
      onlyExpired,
      holdMs: 0,
      actor: actorOf(caller),
      requestId,
    })),
  );
  const outcomeOf = new Map(within.map(({ resource }, index) => [resource, outcomes[index]?.kind]));
  const results = locks.map(({ resource }): { resource: string; outcome: BulkReleaseOutcome } => ({
    resource,
    outcome: outcomeOf.get(resource) ?? 'forbidden',
  }));
  return { status: 200, body: { results } };
});

export const holdLock = handle('hold', async ({ parameters, body }, context) => {
  const { services, caller, requestId } = context;
  const result = await hold(services.locks, {
    resource: parameters.resource,
    ...body,
    actor: actorOf(caller),
    requestId,
  });
  switch (result.kind) {
    case 'held':
      return { status: 200, body: { lock: lockOnWire(result.lease, result.nowMs) } };
    case 'lock-changed':
      throw changed(result.lease, result.nowMs, 'is held by a lease that was not named');
  }
});

export const askHolderToRelease = handle('askRelease', async ({ parameters, body }, context) => {
  const { services, caller, requestId } = context;
  const result = await askRelease(services.locks, {
    resource: parameters.resource,
    ...body,
    actor: actorOf(caller),
    requestId,
  });
  switch (result.kind) {
    case 'asked':
      return { status: 202, body: { lock: lockOnWire(result.lease, result.nowMs) } };
    case 'not-found':
      throw noLock(parameters.resource);
    case 'lock-changed':
      throw changed(result.lease, result.nowMs, 'is not the live lease that was seen');
  }
});

function changed(lease: Lease, nowMs: number, how: string): Problem {
  return new Problem('lock-changed', `The lock ${lease.resource} ${how}. Nothing was changed.`, {
    extras: { lock: lockOnWire(lease, nowMs) },
  });
}
