import { expect } from 'vitest';

/** A lease as the caller who was granted it saw it, by that process's monotonic clock in milliseconds. */
export interface TakenLease {
  readonly resource: string;
  readonly token: number;
  readonly sentMs: number;
  readonly answeredMs: number;
  /** Until then it was surely held: the TTL is counted from when the call was sent, or its end was asked for. */
  heldUntilMs: number;
}

/** As much of it as is promised where leases may be lost: each token is given once, and they follow real time. */
export function expectTokensRise(taken: readonly TakenLease[]): void {
  const seen = new Set<number>();
  for (const { token } of taken) {
    expect(seen.has(token), `token ${token} is given once`).toBe(false);
    seen.add(token);
  }
  for (const leases of byTokenOfEachName(taken)) {
    let latestSentMs = -Infinity;
    for (const lease of leases) {
      // Were it answered before a lease with a smaller token was asked for, the tokens would not follow real time.
      expect(lease.answeredMs, 'tokens follow real time').toBeGreaterThanOrEqual(latestSentMs);
      latestSentMs = Math.max(latestSentMs, lease.sentMs);
    }
  }
}

/** Pairs of leases on one name that two callers surely held at the same time. */
export function heldByTwo(
  taken: readonly TakenLease[],
): readonly (readonly [TakenLease, TakenLease])[] {
  return byTokenOfEachName(taken).flatMap((leases) => {
    const found: (readonly [TakenLease, TakenLease])[] = [];
    let longest: TakenLease | null = null;
    for (const lease of leases) {
      if (
        longest !== null &&
        lease.answeredMs < longest.heldUntilMs &&
        longest.answeredMs < lease.heldUntilMs
      ) {
        found.push([longest, lease]);
      }
      if (longest === null || lease.heldUntilMs > longest.heldUntilMs) longest = lease;
    }
    return found;
  });
}

function byTokenOfEachName(taken: readonly TakenLease[]): readonly (readonly TakenLease[])[] {
  const byName = new Map<string, TakenLease[]>();
  for (const lease of taken) {
    byName.set(lease.resource, [...(byName.get(lease.resource) ?? []), lease]);
  }
  return [...byName.values()].map((leases) => leases.sort((one, other) => one.token - other.token));
}

/**
 * Of any two leases on one name, those that were surely held do not overlap, and whichever was asked for after the
 * other was answered has the larger token.
 */
export function expectLeasesApart(taken: readonly TakenLease[]): void {
  expectTokensRise(taken);
  expect(heldByTwo(taken), 'held by two').toEqual([]);
}
