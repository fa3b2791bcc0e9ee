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

/**
 * Of any two leases on one name, those that were surely held do not overlap, and whichever was asked for after the
 * other was answered has the larger token.
 */
export function expectLeasesApart(taken: readonly TakenLease[]): void {
  const byName = new Map<string, TakenLease[]>();
  for (const lease of taken) {
    byName.set(lease.resource, [...(byName.get(lease.resource) ?? []), lease]);
  }
  for (const leases of byName.values()) {
    const byToken = [...leases].sort((one, other) => one.token - other.token);
    let latestSentMs = -Infinity;
    let longest: TakenLease | null = null;
    for (const [index, lease] of byToken.entries()) {
      expect(lease.token, 'each token is given once').not.toBe(byToken[index - 1]?.token);
      // Were it answered before a lease with a smaller token was asked for, the tokens would not follow real time.
      expect(lease.answeredMs, 'tokens follow real time').toBeGreaterThanOrEqual(latestSentMs);
      if (longest !== null) {
        const areBothHeld =
          lease.answeredMs < longest.heldUntilMs && longest.answeredMs < lease.heldUntilMs;
        expect(areBothHeld, `held by two: ${JSON.stringify([longest, lease])}`).toBe(false);
      }
      latestSentMs = Math.max(latestSentMs, lease.sentMs);
      if (longest === null || lease.heldUntilMs > longest.heldUntilMs) longest = lease;
    }
  }
}
