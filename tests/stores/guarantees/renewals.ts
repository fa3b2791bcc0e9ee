import { expect } from 'vitest';

import { renewalsToldEveryMs } from '@/lib/locks/renewals';

import { fresh } from '../drive';
import { guarantee } from '../store-under-test';

/** What the history is told of renewals. */
export const renewalGuarantees = [
  guarantee('renewals are due for the history once a minute, and all are counted', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a', ttlMs: 600_000 });
    const due = async (afterMs: number) => {
      await at.clock.advance(afterMs);
      const outcome = await at.renew(lease, { ttlMs: 600_000 });
      if (outcome.kind !== 'renewed') throw new Error('It was not renewed');
      if (outcome.due !== undefined) {
        await at.store.noteRenewals([{ lease: outcome.lease, count: outcome.due }]);
      }
      return outcome.due;
    };
    expect(await due(1_000)).toBeUndefined();
    expect(await due(renewalsToldEveryMs - 1_001)).toBeUndefined();
    expect(await due(1)).toBe(3);
    expect(await due(renewalsToldEveryMs - 1)).toBeUndefined();
    expect(await due(1)).toBe(2);
    const told = (await at.history(lease.resource)).filter(({ kind }) => kind === 'renewed');
    expect(told).toMatchObject([
      { count: 3, heldMs: 60_000, fencingToken: lease.fencingToken, owner: 'a' },
      { count: 2, heldMs: 120_000 },
    ]);
    const next = await at.grant({ resource: lease.resource, owner: 'a', ttlMs: 600_000 });
    expect(next.fencingToken).toBeGreaterThan(lease.fencingToken);
    expect(await due(1_000)).toBeUndefined();
    expect(await due(renewalsToldEveryMs)).toBe(2);
  }),
];
