/** What a bucket holds, and how fast it fills again. */
export interface BucketSize {
  readonly capacity: number;
  readonly perSecond: number;
}

/** A token bucket: so many at once, and then so many each second. */
export class TokenBucket {
  #tokens: number;
  #filledAtMs: number;

  /** @param nowMs a monotonic clock's reading, here and in every call. */
  constructor({ capacity }: BucketSize, nowMs: number) {
    this.#tokens = capacity;
    this.#filledAtMs = nowMs;
  }

  /**
   * Takes one token, if there is one.
   *
   * @returns 0 if it was taken, or for how many milliseconds there will be none.
   */
  take(size: BucketSize, nowMs: number): number {
    this.#fill(size, nowMs);
    if (this.#tokens >= 1) {
      this.#tokens -= 1;
      return 0;
    }
    return Math.max(1, Math.ceil(((1 - this.#tokens) / size.perSecond) * 1000));
  }

  /** Gives a token back that turned out not to count. */
  giveBack(size: BucketSize): void {
    this.#tokens = Math.min(size.capacity, this.#tokens + 1);
  }

  isFull(size: BucketSize, nowMs: number): boolean {
    this.#fill(size, nowMs);
    return this.#tokens >= size.capacity;
  }

  #fill({ capacity, perSecond }: BucketSize, nowMs: number): void {
    const passedMs = Math.max(0, nowMs - this.#filledAtMs);
    this.#tokens = Math.min(capacity, this.#tokens + (passedMs / 1000) * perSecond);
    this.#filledAtMs = nowMs;
  }
}

/** Buckets by name. When there are too many names, those that are full again are forgotten, and then the oldest. */
export class TokenBuckets {
  readonly #size: BucketSize;
  readonly #namesMax: number;
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(size: BucketSize, namesMax: number) {
    this.#size = size;
    this.#namesMax = namesMax;
  }

  /** @returns 0 if a token was taken, or for how many milliseconds there will be none. */
  take(name: string, nowMs: number): number {
    return this.#bucketOf(name, nowMs).take(this.#size, nowMs);
  }

  giveBack(name: string): void {
    this.#buckets.get(name)?.giveBack(this.#size);
  }

  #bucketOf(name: string, nowMs: number): TokenBucket {
    const known = this.#buckets.get(name);
    if (known !== undefined) return known;
    if (this.#buckets.size >= this.#namesMax) this.#forget(nowMs);
    const bucket = new TokenBucket(this.#size, nowMs);
    this.#buckets.set(name, bucket);
    return bucket;
  }

  #forget(nowMs: number): void {
    for (const [name, bucket] of this.#buckets) {
      if (bucket.isFull(this.#size, nowMs)) this.#buckets.delete(name);
    }
    for (const name of this.#buckets.keys()) {
      if (this.#buckets.size < this.#namesMax) break;
      this.#buckets.delete(name);
    }
  }
}
