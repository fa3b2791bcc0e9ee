import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { conditionAt, renewEveryMs, stateAt, type Lease } from './lease';

const acquiredAtMs = Date.UTC(2026, 4, 1, 9, 30);

function leaseOf(facts: Partial<Lease> = {}): Lease {
  return {
    id: '1',
    resource: 'job:42',
    owner: 'a',
    client: null,
    acquiredAtMs,
    expiresAtMs: acquiredAtMs + 10_000,
    renewedAtMs: null,
    renewCount: 0,
    ttlMs: 10_000,
    fencingToken: 1,
    hold: null,
    releaseRequested: null,
    metadata: null,
    ...facts,
  };
}

const anyMs = fc.integer({ min: acquiredAtMs - 100_000, max: acquiredAtMs + 100_000 });
const anyLease = fc
  .record({
    expiresAtMs: anyMs,
    renewedAtMs: fc.option(anyMs),
    renewCount: fc.nat(1_000),
    ttlMs: fc.integer({ min: 100, max: 86_400_000 }),
    hold: fc.option(fc.constant({ name: 'ann', reason: 'maintenance' })),
  })
  .map(leaseOf);

describe('a lease', () => {
  test('is active until the millisecond before its expiry, and expired from then on', () => {
    const lease = leaseOf();
    expect(stateAt(lease, lease.acquiredAtMs)).toBe('active');
    expect(stateAt(lease, lease.expiresAtMs - 1)).toBe('active');
    expect(stateAt(lease, lease.expiresAtMs)).toBe('expired');
    expect(stateAt(lease, lease.expiresAtMs + 1)).toBe('expired');
  });

  test('that is over never has a condition', () => {
    fc.assert(
      fc.property(anyLease, anyMs, (lease, nowMs) => {
        if (stateAt(lease, nowMs) === 'expired') expect(conditionAt(lease, nowMs)).toBeNull();
      }),
    );
  });

  test('has the condition closed if and only if it is a live hold', () => {
    fc.assert(
      fc.property(anyLease, anyMs, (lease, nowMs) => {
        const isLiveHold = lease.hold !== null && nowMs < lease.expiresAtMs;
        expect(conditionAt(lease, nowMs) === 'closed').toBe(isLiveHold);
      }),
    );
  });

  test('is expiring when less than a fifth of its TTL is left', () => {
    const lease = leaseOf();
    expect(conditionAt(lease, lease.expiresAtMs - 2_000)).toBeNull();
    expect(conditionAt(lease, lease.expiresAtMs - 1_999)).toBe('expiring');
    expect(conditionAt(lease, lease.expiresAtMs - 1)).toBe('expiring');
  });

  test('is expiring by the TTL that was asked for last', () => {
    const lease = leaseOf({ ttlMs: 100_000 });
    expect(conditionAt(lease, lease.acquiredAtMs)).toBe('expiring');
  });
});

describe('the usual renew gap', () => {
  test('is not known before the first renewal', () => {
    expect(renewEveryMs(leaseOf())).toBeNull();
  });

  test('is the mean of the gaps so far, in whole milliseconds', () => {
    const lease = leaseOf({ renewedAtMs: acquiredAtMs + 10_000, renewCount: 3 });
    expect(renewEveryMs(lease)).toBe(3_333);
  });

  test('is at least one millisecond, also when the clock stepped back', () => {
    fc.assert(
      fc.property(anyLease, (lease) => {
        const everyMs = renewEveryMs(lease);
        if (everyMs === null) return;
        expect(everyMs).toBeGreaterThanOrEqual(1);
        expect(Number.isInteger(everyMs)).toBe(true);
      }),
    );
  });
});

describe('silence', () => {
  const live = { expiresAtMs: acquiredAtMs + 1_000_000, ttlMs: 1_000_000 };

  test('begins past twice the usual gap', () => {
    const renewedAtMs = acquiredAtMs + 6_000;
    const lease = leaseOf({ ...live, renewedAtMs, renewCount: 2 });
    expect(conditionAt(lease, renewedAtMs + 6_000)).toBeNull();
    expect(conditionAt(lease, renewedAtMs + 6_001)).toBe('silent');
  });

  test('is never told of a lease that was not renewed yet', () => {
    fc.assert(
      fc.property(anyMs, (nowMs) => {
        expect(conditionAt(leaseOf(live), nowMs)).not.toBe('silent');
      }),
    );
  });

  test('is not measured by gaps under a second', () => {
    const renewedAtMs = acquiredAtMs + 20;
    const lease = leaseOf({ ...live, renewedAtMs, renewCount: 2 });
    expect(conditionAt(lease, renewedAtMs + 2_000)).toBeNull();
    expect(conditionAt(lease, renewedAtMs + 2_001)).toBe('silent');
  });

  test('outranks a near end, and ends with the next renewal', () => {
    const lease = leaseOf({ renewedAtMs: acquiredAtMs + 1_000, renewCount: 1 });
    expect(conditionAt(lease, lease.expiresAtMs - 1)).toBe('silent');
    const renewed = { ...lease, renewedAtMs: lease.expiresAtMs - 1, renewCount: 2 };
    expect(conditionAt(renewed, lease.expiresAtMs - 1)).toBe('expiring');
  });
});
