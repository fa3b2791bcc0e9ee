import { describe, expect, test } from 'vitest';

import { expectLeasesApart, type TakenLease } from './lease-check';

function lease(token: number, sentMs: number, heldUntilMs: number): TakenLease {
  return { resource: 'job', token, sentMs, answeredMs: sentMs + 1, heldUntilMs };
}

describe('the check of leases', () => {
  test('lets pass one lease after another, and leases on other names', () => {
    const other = { ...lease(3, 5, 50), resource: 'other' };
    expect(() => expectLeasesApart([lease(1, 0, 10), lease(2, 10, 20), other])).not.toThrow();
  });

  test.each([
    ['two that are held at once', [lease(1, 0, 10), lease(2, 5, 20)]],
    ['one within another that lasts', [lease(1, 0, 100), lease(2, 99, 99), lease(3, 98, 120)]],
    ['a smaller token after a larger one', [lease(2, 0, 10), lease(1, 20, 30)]],
    ['one token twice', [lease(1, 0, 10), lease(1, 20, 30)]],
  ])('catches %s', (_, taken) => {
    expect(() => expectLeasesApart(taken)).toThrow();
  });
});
