import { parsePattern } from '@/lib/locks/patterns';

import type { AccessStore, StoredKey } from './access-store';
import type { KeyCaller } from './callers';
import { hashOfSecret } from './secrets';
import { TokenBucket, type BucketSize } from './token-bucket';

export interface KeyRingOptions {
  readonly store: Pick<AccessStore, 'keys' | 'findKey' | 'nowMs' | 'noteUses'>;
  /** A key that is not in the store and never ends; null for none. */
  readonly fixed: { readonly secret: string; readonly caller: KeyCaller } | null;
  readonly monotonicMs: () => number;
  /** Told that the keys could not be read, and that they can be again. */
  readonly onTrouble: (error: unknown) => void;
}

/** How often the keys are read anew. */
export const keyPollMs = 1_500;
/** For how long what was read counts: a revoked key works nowhere longer than this, also where the store can't be read. */
export const keysCountForMs = 4_500;
/** A last use is noted at most this often for each key, so that no call writes. */
const usePrecisionMs = 60_000;
/** Look-ups of unknown keys: one that another instance has just made is found at once, and guessing costs the store little. */
const lookUps: BucketSize = { capacity: 20, perSecond: 5 };

interface Entry {
  readonly caller: KeyCaller;
  notedAtMs: number;
}

/**
 * The keys that work, in memory by the hash of their secrets: to check one costs a hash and a look into a map, for a right
 * one as for a wrong one, and no call of the store.
 */
export class KeyRing {
  readonly #options: KeyRingOptions;
  readonly #fixed: { readonly hash: string; readonly caller: KeyCaller } | null;
  #entries = new Map<string, Entry>();
  /** When the read began that the entries come from, by the monotonic clock; and the store's clock then. */
  #readAtMs = -Infinity;
  #storeAtMs = 0;
  #reading: Promise<void> | null = null;
  readonly #uses = new Map<string, number>();
  readonly #lookUps: TokenBucket;
  #timer: NodeJS.Timeout | null = null;
  #isInTrouble = false;

  constructor(options: KeyRingOptions) {
    this.#options = options;
    const { fixed } = options;
    this.#fixed =
      fixed === null ? null : { hash: hashOfSecret(fixed.secret), caller: fixed.caller };
    this.#lookUps = new TokenBucket(lookUps, options.monotonicMs());
  }

  /** Reads the keys, and goes on reading them. */
  async start(): Promise<void> {
    await this.refresh();
    this.#timer = setInterval(() => {
      this.refresh().catch(() => undefined);
    }, keyPollMs);
    this.#timer.unref();
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#reading?.catch(() => undefined);
    await this.#noteUses().catch(() => undefined);
  }

  /**
   * Who calls by a secret; null if nobody may. At once for a key that is known, and a promise only where the store has to
   * be asked.
   */
  callerOf(secret: string): KeyCaller | null | Promise<KeyCaller | null> {
    const hash = hashOfSecret(secret);
    if (hash === this.#fixed?.hash) return this.#fixed.caller;
    if (this.#options.monotonicMs() - this.#readAtMs >= keysCountForMs) {
      return this.refresh().then(() => this.#known(hash) ?? this.#lookUp(hash));
    }
    return this.#known(hash) ?? this.#lookUp(hash);
  }

  /**
   * Reads the keys; also after one was made or revoked here, which then counts at once.
   *
   * @throws StoreUnavailable
   */
  refresh(): Promise<void> {
    return (this.#reading ??= this.#read().finally(() => (this.#reading = null)));
  }

  /** The same, by a read that begins after this call. */
  async refreshAnew(): Promise<void> {
    await this.#reading?.catch(() => undefined);
    await this.refresh();
  }

  async #read(): Promise<void> {
    const { store, monotonicMs, onTrouble } = this.#options;
    try {
      const readAtMs = monotonicMs();
      const storeAtMs = await store.nowMs();
      const keys = await store.keys();
      const known = this.#entries;
      this.#entries = new Map(
        keys
          .filter((key) => isAlive(key, storeAtMs))
          .map((key) => [key.secretHash, entryOf(key, known.get(key.secretHash))]),
      );
      this.#readAtMs = readAtMs;
      this.#storeAtMs = storeAtMs;
      this.#isInTrouble = false;
      // A busy writer must not keep keys from being read.
      void this.#noteUses().catch(() => undefined);
    } catch (error) {
      if (!this.#isInTrouble) onTrouble(error);
      this.#isInTrouble = true;
      throw error;
    }
  }

  #known(hash: string): KeyCaller | null {
    const entry = this.#entries.get(hash);
    if (entry === undefined) return null;
    const { caller } = entry;
    const nowMs = this.#storeAtMs + (this.#options.monotonicMs() - this.#readAtMs);
    if (caller.expiresAtMs !== null && caller.expiresAtMs <= nowMs) return null;
    if (nowMs - entry.notedAtMs >= usePrecisionMs) {
      entry.notedAtMs = nowMs;
      this.#uses.set(caller.keyId, Math.trunc(nowMs));
    }
    return caller;
  }

  /** A key that the last read did not know may be younger than it. */
  #lookUp(hash: string): null | Promise<KeyCaller | null> {
    const { store, monotonicMs } = this.#options;
    if (this.#entries.has(hash)) return null;
    if (this.#lookUps.take(lookUps, monotonicMs()) > 0) return null;
    const entries = this.#entries;
    return store.findKey(hash).then((key) => {
      if (key === null || !isAlive(key, this.#storeAtMs)) return null;
      // All keys were read meanwhile: that read may know of a revocation that this answer is too old for.
      if (this.#entries !== entries) return this.#known(hash) ?? this.#lookUp(hash);
      entries.set(hash, entryOf(key, undefined));
      return this.#known(hash);
    });
  }

  async #noteUses(): Promise<void> {
    if (this.#uses.size === 0) return;
    const uses = new Map(this.#uses);
    this.#uses.clear();
    await this.#options.store.noteUses(uses);
  }
}

function isAlive(key: StoredKey, nowMs: number): boolean {
  return key.revokedAtMs === null && (key.expiresAtMs === null || key.expiresAtMs > nowMs);
}

function entryOf(key: StoredKey, known: Entry | undefined): Entry {
  return {
    caller: {
      kind: 'key',
      keyId: key.id,
      name: key.name,
      client: key.client,
      scopes: key.scopes,
      patterns: key.patterns.map(parsePattern),
      expiresAtMs: key.expiresAtMs,
    },
    notedAtMs: known?.notedAtMs ?? key.lastUsedAtMs ?? 0,
  };
}
