import {
  comparePositions,
  feedOrigin,
  type FeedEvent,
  type FeedPage,
  type FeedPosition,
} from '../locks/event-feed';
import type { Lease } from '../locks/lease';
import type { LockStore } from '../locks/lock-store';
import { createTurns } from './turns';

export interface HubOptions {
  readonly store: Pick<LockStore, 'feed' | 'watch'>;
  /** Told when events wait long for a transaction of somebody else, and when the feed can't be read; once each time. */
  readonly onTrouble: (trouble: HubTrouble) => void;
}

export type HubTrouble =
  | { readonly kind: 'late'; readonly lagMs: number }
  | { readonly kind: 'unread'; readonly error: unknown };

export interface Follower {
  /** There may be something to read. */
  onChange(): void;
  /** This process has renewed these leases in the last moment: the last renewal of each. */
  onRenewed(leases: readonly Lease[]): void;
  onClose(): void;
}

/** Whatever tells of new events may fail: so long at most until they are seen all the same. */
const lookEveryMs = 400;
/** Events that are written but have no certain place are looked for again soon, and less often the longer it lasts. */
const unsettledLookMsMin = 20;
const unsettledLookMsMax = 250;
/** However fast events come, a look serves all that came within so long. */
const lookGapMs = 10;
const pageMax = 500;
const recentMax = 4_000;
const lateMs = 5_000;
const renewalsEveryMs = 1_000;
const renewalsMax = 1_000;
const catchUpsAtOnce = 4;

/**
 * The one reader of the feed in a process: however many follow it, new events are read once, and the last few thousand are
 * kept, so that those who come back after a moment ask nothing of the store. It reads while somebody follows.
 */
export class EventHub {
  readonly #options: HubOptions;
  readonly #followers = new Set<Follower>();
  readonly #catchUps = createTurns(catchUpsAtOnce);
  /** The place that `#recent` begins after; null while nobody reads. */
  #recentAfter: FeedPosition | null = null;
  #recent: FeedEvent[] = [];
  #starting: Promise<void> | null = null;
  #wake: (() => void) | null = null;
  #isDue = false;
  #lagMs = 0;
  #isInTrouble = false;
  readonly #renewals = new Map<string, Lease>();
  #renewalTimer: NodeJS.Timeout | null = null;
  #isClosed = false;
  readonly #unwatch: () => void;

  constructor(options: HubOptions) {
    this.#options = options;
    this.#unwatch = options.store.watch({
      onEvents: () => this.#look(),
      onRenewed: (lease) => this.#noteRenewal(lease),
    });
  }

  get followers(): number {
    return this.#followers.size;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** @returns the newest place, from which a follower without one begins. @throws StoreUnavailable */
  async follow(follower: Follower): Promise<FeedPosition> {
    this.#followers.add(follower);
    try {
      await (this.#starting ??= this.#start().finally(() => (this.#starting = null)));
    } catch (error) {
      this.leave(follower);
      throw error;
    }
    return this.#end();
  }

  leave(follower: Follower): void {
    this.#followers.delete(follower);
    if (this.#followers.size === 0) this.#look();
  }

  /** What is kept after a place, in its order; null if the place is too old for that, or none of the feed's. */
  recentAfter(place: FeedPosition): readonly FeedEvent[] | null {
    if (this.#recentAfter === null) return null;
    if (comparePositions(place, this.#recentAfter) === 0) return this.#recent.slice(0, pageMax);
    const index = this.#indexOf(place);
    return index === -1 ? null : this.#recent.slice(index + 1, index + 1 + pageMax);
  }

  /** The same from the store, a few followers at a time. @throws StoreUnavailable */
  readAfter(place: FeedPosition | null, limit: number = pageMax): Promise<FeedPage> {
    return this.#catchUps(() => this.#options.store.feed({ after: place, limit }));
  }

  /** Ends all streams, and takes no more followers. */
  close(): void {
    this.#isClosed = true;
    this.#unwatch();
    if (this.#renewalTimer !== null) clearTimeout(this.#renewalTimer);
    for (const follower of [...this.#followers]) follower.onClose();
    this.#look();
  }

  async #start(): Promise<void> {
    if (this.#recentAfter !== null) return;
    const { events } = await this.#options.store.feed({ after: null, limit: pageMax });
    const [first, ...rest] = events;
    this.#recentAfter = first?.position ?? feedOrigin;
    this.#recent = rest;
    void this.#run();
  }

  async #run(): Promise<void> {
    while (this.#followers.size > 0) {
      const waitMs = await this.#readOn();
      if (waitMs > 0) await this.#pause(waitMs);
    }
    this.#recentAfter = null;
    this.#recent = [];
  }

  /** @returns for how long there is nothing more to do, in milliseconds. */
  async #readOn(): Promise<number> {
    this.#isDue = false;
    try {
      const after = this.#end();
      const { events, lagMs } = await this.#options.store.feed({ after, limit: pageMax });
      this.#noteLag(lagMs);
      if (events.length > 0) this.#keep(events);
      if (events.length === pageMax) return 0;
      if (lagMs === 0) return lookEveryMs;
      return Math.min(unsettledLookMsMax, Math.max(unsettledLookMsMin, lagMs / 4));
    } catch (error) {
      if (!this.#isInTrouble) this.#options.onTrouble({ kind: 'unread', error });
      this.#isInTrouble = true;
      return lookEveryMs;
    }
  }

  #noteLag(lagMs: number): void {
    const isLate = lagMs >= lateMs;
    if (isLate && this.#lagMs < lateMs) this.#options.onTrouble({ kind: 'late', lagMs });
    this.#lagMs = lagMs;
    this.#isInTrouble = false;
  }

  #keep(events: readonly FeedEvent[]): void {
    this.#recent.push(...events);
    const excess = this.#recent.length - recentMax;
    if (excess > recentMax / 4) {
      this.#recentAfter = this.#recent[excess - 1]?.position ?? this.#recentAfter;
      this.#recent = this.#recent.slice(excess);
    }
    for (const follower of this.#followers) follower.onChange();
  }

  #end(): FeedPosition {
    return this.#recent.at(-1)?.position ?? this.#recentAfter ?? feedOrigin;
  }

  #indexOf(place: FeedPosition): number {
    let [low, high] = [0, this.#recent.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const found = this.#recent[middle];
      if (found !== undefined && comparePositions(found.position, place) < 0) low = middle + 1;
      else high = middle;
    }
    const found = this.#recent[low];
    return found !== undefined && comparePositions(found.position, place) === 0 ? low : -1;
  }

  #look(): void {
    if (this.#followers.size === 0 && this.#recentAfter === null) return;
    this.#isDue = true;
    this.#wake?.();
  }

  /** Until it is time to look, or there is reason to; but never less than a moment. */
  async #pause(ms: number): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, lookGapMs));
    if (this.#isDue) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = null;
  }

  /** Renewals may be many times as frequent as anything else: of each lease the last one counts, once a second. */
  #noteRenewal(lease: Lease): void {
    if (this.#followers.size === 0) return;
    if (this.#renewals.size >= renewalsMax && !this.#renewals.has(lease.resource)) return;
    this.#renewals.set(lease.resource, lease);
    if (this.#renewalTimer !== null) return;
    this.#renewalTimer = setTimeout(() => {
      this.#renewalTimer = null;
      const leases = [...this.#renewals.values()];
      this.#renewals.clear();
      for (const follower of this.#followers) follower.onRenewed(leases);
    }, renewalsEveryMs);
    this.#renewalTimer.unref();
  }
}
