import { afterAll, beforeAll, describe, test } from 'vitest';

import { acquireGuarantees } from './guarantees/acquire';
import { contentionGuarantees } from './guarantees/contention';
import { concurrencyGuarantees } from './guarantees/concurrency';
import { expiryGuarantees } from './guarantees/expiry';
import { expiryNoteGuarantees } from './guarantees/expiry-notes';
import { feedGuarantees } from './guarantees/feed';
import { forceReleaseGuarantees } from './guarantees/force-release';
import { forcedGuarantees } from './guarantees/forced';
import { forgettingGuarantees } from './guarantees/forgetting';
import { historyGuarantees } from './guarantees/history';
import { holdGuarantees } from './guarantees/hold';
import { listFilterGuarantees } from './guarantees/list-filters';
import { listPageGuarantees } from './guarantees/list-pages';
import { nameGuarantees } from './guarantees/names';
import { ownershipGuarantees } from './guarantees/ownership';
import { renewalGuarantees } from './guarantees/renewals';
import { specificationGuarantees } from './guarantees/specification';
import { storeGuarantees } from './guarantees/store';
import { tokenGuarantees } from './guarantees/tokens';
import { trailGuarantees } from './guarantees/trail';
import { usageGuarantees } from './guarantees/usage';
import type { Guarantee, StoreUnderTest } from './store-under-test';

export type { Guarantee, StoreUnderTest } from './store-under-test';

/** All that a lock store promises. */
export const guarantees: readonly Guarantee[] = [
  ...acquireGuarantees,
  ...ownershipGuarantees,
  ...expiryGuarantees,
  ...tokenGuarantees,
  ...forceReleaseGuarantees,
  ...forcedGuarantees,
  ...holdGuarantees,
  ...historyGuarantees,
  ...trailGuarantees,
  ...expiryNoteGuarantees,
  ...forgettingGuarantees,
  ...feedGuarantees,
  ...listFilterGuarantees,
  ...listPageGuarantees,
  ...nameGuarantees,
  ...concurrencyGuarantees,
  ...contentionGuarantees,
  ...renewalGuarantees,
  ...usageGuarantees,
  ...specificationGuarantees,
  ...storeGuarantees,
];

// Bounds a call that hangs, not the pace: some guarantees take a thousand durable commits, on a disk of any speed.
const timeoutMs = 120_000;

/**
 * Holds a store against every guarantee. The tests use names of their own, so the store may be shared and may outlive
 * the run; they run one after the other, since they move the store's clock.
 *
 * @param open a store of its own at each call, with a clock that only the test moves.
 */
export function describeLockStore(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`${name} keeps what a lock store promises`, () => {
    let shared: StoreUnderTest;
    beforeAll(async () => {
      shared = await open();
    });
    afterAll(() => shared.close());

    for (const promise of guarantees) {
      test(
        promise.name,
        async () => {
          if (!promise.wantsOwnStore) return promise.run(shared);
          const own = await open();
          try {
            await promise.run(own);
          } finally {
            await own.close();
          }
        },
        timeoutMs,
      );
    }
  });
}
