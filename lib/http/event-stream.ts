import type { Caller } from '@/lib/access/callers';
import type { EventHub, Follower } from '@/lib/events/event-hub';
import {
  feedOrigin,
  formatPosition,
  type FeedEvent,
  type FeedPosition,
} from '@/lib/locks/event-feed';
import type { LockEvent } from '@/lib/locks/events';
import type { Lease } from '@/lib/locks/lease';

import {
  eventText,
  heartbeatText,
  helloText,
  goodbyeText,
  renewalText,
  resetText,
} from './event-text';

export interface EventStreamOptions {
  readonly hub: EventHub;
  /** Where the reader left off; null to begin with what happens next. */
  readonly after: FeedPosition | null;
  readonly accepts: (
    event: Pick<LockEvent, 'kind' | 'resource' | 'client' | 'actor'>,
    caller: Caller,
  ) => boolean;
  readonly caller: Caller;
  /** Who calls by the same credentials now; null if nobody may. */
  readonly confirm: () => Promise<Caller | null> | Caller | null;
  /** How often that is asked, and how long an answer may be missing, in milliseconds. */
  readonly rights: { readonly everyMs: number; readonly graceMs: number };
  readonly onEnd: (why: StreamEnd) => void;
  /** Breaks the connection of a reader that does not read; null where only the stream itself can be broken. */
  readonly cut: (() => void) | null;
}

/** `left` by the reader, or ended: its right is lost, it reads too slowly, the service stops, or the store is away. */
export type StreamEnd = 'left' | 'right-lost' | 'slow' | 'stopped' | 'store';

/** All that is kept for one reader, and one chunk or one page from the store on top, beside its connection's buffers. */
const queueBytesMax = 64 * 1024;
const chunkBytesMax = 16 * 1024;
const heartbeatMs = 15_000;
const slowMsMax = 10_000;
const tickMs = 200;
const catchUpMax = 100;
const newestOnReset = 100;

/**
 * One reader of the stream. It is pulled: nothing is read or written for it before there is room, so that a slow reader
 * costs no more memory than a fast one. What it has received last is where it can resume.
 */
export class EventStream implements Follower, UnderlyingDefaultSource<Uint8Array> {
  readonly #options: EventStreamOptions;
  #caller: Caller;
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  #place: FeedPosition | null = null;
  #isPlaceTold = true;
  #outbox: Uint8Array[] = [];
  #wake: (() => void) | null = null;
  /** Something came after the last read began: one must not nap over it. */
  #isDue = false;
  #end: StreamEnd | null = null;
  #timer: NodeJS.Timeout | null = null;
  #spokeAtMs = performance.now();
  #fullSinceMs: number | null = null;
  #checkedAtMs = performance.now();
  #isChecking = false;
  /** When the first check began that has not been answered; null if the last one was. */
  #doubtSinceMs: number | null = null;

  constructor(options: EventStreamOptions) {
    this.#options = options;
    this.#caller = options.caller;
  }

  /** @throws StoreUnavailable if the feed can't be read. */
  static async open(options: EventStreamOptions): Promise<ReadableStream<Uint8Array>> {
    const stream = new EventStream(options);
    const newest = await options.hub.follow(stream);
    stream.#place = options.after ?? newest;
    stream.#outbox.push(helloText(options.after === null ? newest : null));
    stream.#timer = setInterval(() => stream.#tick(), tickMs);
    stream.#timer.unref();
    if (options.hub.isClosed) stream.onClose();
    const strategy = new ByteLengthQueuingStrategy({ highWaterMark: queueBytesMax });
    return new ReadableStream(stream, strategy);
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller;
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    this.#fullSinceMs = null;
    const chunk = await this.#next();
    if (chunk === null || this.#end !== null) return;
    controller.enqueue(chunk);
    this.#spokeAtMs = performance.now();
    if ((controller.desiredSize ?? 1) <= 0) this.#fullSinceMs = this.#spokeAtMs;
  }

  cancel(): void {
    this.#finish('left');
  }

  onChange(): void {
    this.#isDue = true;
    this.#wake?.();
  }

  onClose(): void {
    this.#finish('stopped');
  }

  onRenewed(leases: readonly Lease[]): void {
    // Transient: who has no room for them now does without.
    if (this.#wake === null) return;
    for (const lease of leases) {
      const event = { ...lease, kind: 'renewed' as const, actor: null };
      if (this.#options.accepts(event, this.#caller)) this.#outbox.push(renewalText(lease));
    }
    this.#wake();
  }

  async #next(): Promise<Uint8Array | null> {
    while (this.#end === null) {
      if (this.#outbox.length > 0) return joined(this.#outbox.splice(0));
      this.#isDue = false;
      try {
        const { texts, hasMore } = await this.#read();
        if (texts.length > 0) return joined(texts);
        if (!hasMore) await this.#nap();
      } catch {
        this.#finish('store');
      }
    }
    return null;
  }

  /** The next events that this reader may see, up to a chunk's size. @throws StoreUnavailable */
  async #read(): Promise<{ readonly texts: Uint8Array[]; readonly hasMore: boolean }> {
    const { hub } = this.#options;
    if (this.#place === null) return { texts: [], hasMore: false };
    const recent = hub.recentAfter(this.#place);
    if (recent !== null) return this.#take(recent);
    const page = await hub.readAfter(this.#place, catchUpMax);
    if (page.isKnown) return this.#take(page.events, Infinity);
    const { events } = await hub.readAfter(null, newestOnReset);
    this.#place = feedOrigin;
    const { texts } = this.#take(events, Infinity);
    return { texts: [resetText(), ...texts], hasMore: true };
  }

  #take(events: readonly FeedEvent[], bytesMax: number = chunkBytesMax) {
    const texts: Uint8Array[] = [];
    let bytes = 0;
    for (const event of events) {
      if (bytes >= bytesMax) break;
      this.#place = event.position;
      this.#isPlaceTold = false;
      if (!this.#options.accepts(event.event, this.#caller)) continue;
      const text = eventText(event);
      texts.push(text);
      bytes += text.byteLength;
      this.#isPlaceTold = true;
    }
    return { texts, hasMore: events.length > 0 };
  }

  #nap(): Promise<void> {
    if (this.#isDue) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = null;
        resolve();
      };
    });
  }

  #tick(): void {
    const nowMs = performance.now();
    if (this.#fullSinceMs !== null && nowMs - this.#fullSinceMs > slowMsMax) {
      this.#finish('slow');
      return;
    }
    if (nowMs - this.#spokeAtMs >= heartbeatMs && this.#wake !== null) {
      // A reader whose filter lets little through moves on all the same, and need not look through it all again.
      const place = this.#isPlaceTold || this.#place === null ? null : this.#place;
      this.#isPlaceTold = true;
      this.#outbox.push(heartbeatText(place === null ? null : formatPosition(place)));
      this.#wake();
    }
    this.#checkRight(nowMs);
  }

  #checkRight(nowMs: number): void {
    const { rights, confirm } = this.#options;
    if (this.#doubtSinceMs !== null && nowMs - this.#doubtSinceMs > rights.graceMs) {
      this.#finish('right-lost');
      return;
    }
    if (this.#isChecking || nowMs - this.#checkedAtMs < rights.everyMs) return;
    this.#isChecking = true;
    this.#checkedAtMs = nowMs;
    this.#doubtSinceMs ??= nowMs;
    void Promise.resolve()
      .then(confirm)
      .then(
        (caller) => {
          if (caller === null) this.#finish('right-lost');
          else this.#caller = caller;
          this.#doubtSinceMs = null;
        },
        // Not known: the last answer counts until it is too old.
        () => undefined,
      )
      .finally(() => (this.#isChecking = false));
  }

  #finish(why: StreamEnd): void {
    if (this.#end !== null) return;
    this.#end = why;
    const { hub, onEnd, cut } = this.#options;
    hub.leave(this);
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#outbox = [];
    onEnd(why);
    this.#close(why, cut);
    this.#wake?.();
  }

  #close(why: StreamEnd, cut: (() => void) | null): void {
    const controller = this.#controller;
    if (why === 'left' || controller === null) return;
    if ((controller.desiredSize ?? 1) > 0) {
      controller.enqueue(goodbyeText(why === 'stopped'));
      controller.close();
    } else if (cut !== null) {
      cut();
    } else {
      controller.error(new Error('The reader of the event stream did not read'));
    }
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
}
