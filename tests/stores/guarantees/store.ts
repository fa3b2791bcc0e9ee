import { expect } from 'vitest';

import { StoreUnavailable } from '@/lib/locks/errors';

import { fresh } from '../drive';
import { guarantee } from '../store-under-test';

/** The store as a whole. */
export const storeGuarantees = [
  guarantee('a store that is open answers a ping', async (at) => {
    await expect(at.store.ping()).resolves.toBeUndefined();
  }),

  guarantee(
    'a closed store refuses every call as unavailable, and may be closed twice',
    async (at) => {
      const lease = await at.grant({ resource: fresh(), owner: 'a' });
      await at.store.close();
      const { resource } = lease;
      const refused = [
        at.acquire({ resource, owner: 'a' }),
        at.renew(lease),
        at.release(lease),
        at.inspect(resource),
        at.list({ filter: {} }),
        at.forceRelease(lease),
        at.hold({ resource }),
        at.askRelease(lease),
        at.history(resource),
        at.store.askers(resource),
        at.store.noteDenials([]),
        at.store.tidyDenials(),
        at.store.feed({ after: null, limit: 1 }),
        at.store.tally({ after: { transaction: 0, id: 0 }, limit: 1 }),
        at.store.ping(),
      ];
      for (const outcome of await Promise.allSettled(refused)) {
        expect(outcome.status === 'rejected' && outcome.reason).toBeInstanceOf(StoreUnavailable);
      }
      await at.store.close();
    },
    { wantsOwnStore: true },
  ),

  guarantee(
    'calls under way when the store closes are answered, each with its outcome or a refusal',
    async (at) => {
      const names = Array.from({ length: 50 }, () => fresh());
      const calls = names.map((resource) => at.acquire({ resource, owner: 'a' }));
      const closing = at.store.close();
      const settled = await Promise.allSettled(calls);
      await closing;
      for (const outcome of settled) {
        if (outcome.status === 'fulfilled') expect(outcome.value.kind).toBe('granted');
        else expect(outcome.reason).toBeInstanceOf(StoreUnavailable);
      }
    },
    { wantsOwnStore: true },
  ),
];
