import { callerId, type Caller } from './callers';
import { TokenBucket, type BucketSize } from './token-bucket';

/** Acquires and reads draw from one bucket, renewals and releases from another, which those never empty. */
export type CallKind = 'call' | 'keeping';

/** Far more renewals than the shortest TTL can want. */
const renewalsPerSecondOfLease = 50;
const burstSeconds = 2;
const holdersMax = 10_000;

interface Holder {
  readonly calls: TokenBucket;
  readonly keeping: TokenBucket;
  /** The leases that this instance has seen the caller get or renew, and when they end by the monotonic clock. */
  readonly leases: Map<string, number>;
  pruneAt: number;
}

/** How many calls each key, and each person, may make in this process. */
export class CallLimits {
  readonly #size: BucketSize;
  readonly #monotonicMs: () => number;
  readonly #holders = new Map<string, Holder>();

  constructor(callsPerSecond: number, monotonicMs: () => number) {
    this.#size = { capacity: callsPerSecond * burstSeconds, perSecond: callsPerSecond };
    this.#monotonicMs = monotonicMs;
  }

  /** @returns 0 if the call may go on, or in how many milliseconds it may. */
  take(caller: Caller, kind: CallKind): number {
    const nowMs = this.#monotonicMs();
    const holder = this.#holderOf(caller, nowMs);
    switch (kind) {
      case 'call':
        return holder.calls.take(this.#size, nowMs);
      case 'keeping':
        return holder.keeping.take(this.#keepingSize(holder), nowMs);
    }
  }

  noteHeld(caller: Caller, resource: string, remainingMs: number): void {
    const nowMs = this.#monotonicMs();
    const holder = this.#holderOf(caller, nowMs);
    holder.leases.set(resource, nowMs + remainingMs);
    if (holder.leases.size < holder.pruneAt) return;
    for (const [name, endsAtMs] of holder.leases) {
      if (endsAtMs <= nowMs) holder.leases.delete(name);
    }
    holder.pruneAt = Math.max(1_000, holder.leases.size * 2);
  }

  noteReleased(caller: Caller, resource: string): void {
    this.#holders.get(callerId(caller))?.leases.delete(resource);
  }

  /** Grows with the leases, so that the limit never costs a holder its lock. */
  #keepingSize({ leases }: Holder): BucketSize {
    const more = leases.size * renewalsPerSecondOfLease;
    return { capacity: this.#size.capacity + more, perSecond: this.#size.perSecond + more };
  }

  #holderOf(caller: Caller, nowMs: number): Holder {
    const id = callerId(caller);
    const known = this.#holders.get(id);
    if (known !== undefined) return known;
    if (this.#holders.size >= holdersMax) this.#forgetOldest();
    const holder: Holder = {
      calls: new TokenBucket(this.#size, nowMs),
      keeping: new TokenBucket(this.#size, nowMs),
      leases: new Map(),
      pruneAt: 1_000,
    };
    this.#holders.set(id, holder);
    return holder;
  }

  #forgetOldest(): void {
    for (const id of this.#holders.keys()) {
      this.#holders.delete(id);
      return;
    }
  }
}
