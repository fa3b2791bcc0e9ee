import { elapsedMs, momentOf, type Moment } from './clock.js';
import { backoffMs, pathOf, type Core } from './core.js';
import { asyncDispose } from './dispose.js';
import { LockLostError, NotAllowedError, type Loss } from './errors.js';
import { release, type Released } from './release.js';
import type { Answer } from './transport.js';
import type { RenewAnswer } from './wire.js';

/** An operator's wish that the holder lets go. */
export interface ReleaseRequest {
  readonly by: string;
  readonly reason: string;
  readonly at: string;
}

export interface Grant {
  readonly resource: string;
  readonly owner: string;
  readonly fencingToken: number;
  readonly ttlMs: number;
  readonly maxHoldMs: number;
  readonly sentAt: Moment;
  /** An earlier try had no answer: it may still arrive, and be granted anew to the same owner. */
  readonly wasSentAgain: boolean;
}

// Two clocks run apart by some parts in ten thousand, and the service's is not this one.
const clockDrift = 0.001;
// The most that a timer waits, so that a suspended machine is noticed soon after it wakes.
const lookMs = 1_000;
const releaseTriesMax = 3;

/** One ownership of one resource. It renews itself until it is released or lost. */
export class Lease implements AsyncDisposable {
  readonly resource: string;
  readonly owner: string;
  /** Goes with every write: of two leases on one resource the later has the larger one. */
  readonly fencingToken: number;
  readonly ttlMs: number;

  readonly #core: Core;
  readonly #grant: Grant;
  readonly #controller = new AbortController();
  readonly #listeners = new Set<(request: ReleaseRequest) => void>();
  #state: 'held' | 'lost' | 'released' = 'held';
  #lost: LockLostError | undefined;
  #sentAt: Moment;
  #renewInMs: number;
  #triedAt: Moment;
  #failures = 0;
  #failure: unknown;
  #renewing: AbortController | undefined;
  #timer: unknown;
  #request: ReleaseRequest | undefined;
  #release: Promise<Released> | undefined;

  /** @internal */
  constructor(core: Core, grant: Grant) {
    this.resource = grant.resource;
    this.owner = grant.owner;
    this.fencingToken = grant.fencingToken;
    this.ttlMs = grant.ttlMs;
    this.#core = core;
    this.#grant = grant;
    this.#sentAt = grant.sentAt;
    this.#triedAt = grant.sentAt;
    this.#renewInMs = this.#usualRenewMs();
    this.#tick();
  }

  /** Aborted as soon as the lease can't be relied on, with a {@link LockLostError}; not by its release. */
  get signal(): AbortSignal {
    this.#look();
    return this.#controller.signal;
  }

  /** Whether the lease can be relied on now, by the clocks and without asking anybody. */
  get isHeld(): boolean {
    return this.#look();
  }

  /** Until the end of the lease, should no renewal succeed any more; 0 when it is not held. */
  get remainingMs(): number {
    return this.#look() ? this.#leftMs() : 0;
  }

  /** Why it was lost; undefined while it is held, and after it was released in time. */
  get lost(): LockLostError | undefined {
    this.#look();
    return this.#lost;
  }

  /** The operator's wish that this holder lets go, if there is one. */
  get releaseRequested(): ReleaseRequest | undefined {
    return this.#request;
  }

  /** @throws LockLostError if it was lost. The last line of what must not end unnoticed on a lost lease. */
  throwIfLost(): void {
    if (this.lost !== undefined) throw this.lost;
  }

  /**
   * Calls back when an operator asks the holder to let go: at once if one has asked already. Nothing ends by it.
   *
   * @returns what takes the listener away.
   */
  onReleaseRequested(listener: (request: ReleaseRequest) => void): () => void {
    this.#listeners.add(listener);
    if (this.#request !== undefined) call(listener, this.#request);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Ends the lease. It never rejects, so it is safe in `finally`: what became of the lease is its value, and if it was
   * lost, `lost` says why. No timer and no renewal is left when it is called, whatever the service answers.
   */
  release(): Promise<Released> {
    this.#release ??= this.#end();
    return this.#release;
  }

  async [asyncDispose](): Promise<void> {
    await this.release();
  }

  #usualRenewMs(): number {
    return (this.ttlMs / 3) * (0.8 + 0.2 * this.#core.clock.random());
  }

  #leftMs(): number {
    return this.ttlMs * (1 - clockDrift) - elapsedMs(this.#core.clock, this.#sentAt);
  }

  #leftToHoldMs(): number {
    return this.#grant.maxHoldMs - elapsedMs(this.#core.clock, this.#grant.sentAt);
  }

  /** Whether it is held, by the clocks: nothing else is trusted with it, since any timer may be late. */
  #look(): boolean {
    if (this.#state !== 'held') return false;
    if (this.#leftMs() <= 0) {
      this.#lose({ how: this.#failure === undefined ? 'expired' : 'unavailable' });
    } else if (this.#leftToHoldMs() <= 0) {
      this.#lose({ how: 'held-too-long' });
    }
    return this.#isStillHeld();
  }

  /** What `#lose` has changed is not seen by the compiler. */
  #isStillHeld(): boolean {
    return this.#state === 'held';
  }

  /** The only timer: it looks, renews when it is time, and comes back no later than anything can happen. */
  #tick(): void {
    const { clock } = this.#core;
    clock.clearTimeout(this.#timer);
    if (!this.#look()) return;
    const dueMs = this.#renewInMs - elapsedMs(clock, this.#triedAt);
    if (this.#renewing === undefined && dueMs <= 0) void this.#renew();
    const nextMs = this.#renewing === undefined ? dueMs : lookMs;
    this.#timer = clock.setTimeout(
      () => this.#tick(),
      Math.max(1, Math.min(nextMs, lookMs, this.#leftMs(), this.#leftToHoldMs())),
    );
  }

  /** Never rejects. Its answer counts only while the lease is held: a loss is final, and a release comes first. */
  async #renew(): Promise<void> {
    const cancel = new AbortController();
    this.#renewing = cancel;
    this.#triedAt = momentOf(this.#core.clock);
    try {
      const answer = await this.#core.transport.send<RenewAnswer>({
        method: 'POST',
        path: pathOf(this.resource, '/renew'),
        body: { owner: this.owner, ttl_ms: this.ttlMs, fencing_token: this.fencingToken },
        // Half of what is left, so that a lost answer leaves time to ask again.
        timeoutMs: Math.min(this.#core.answerTimeoutMs, Math.max(this.#leftMs() / 2, 50)),
        cancel: cancel.signal,
      });
      if (this.#look()) this.#renewed(answer);
    } catch (error) {
      this.#failure = error;
      this.#retryLater(error);
    }
    this.#renewing = undefined;
    this.#tick();
  }

  #renewed({ status, body, problem, sentAt }: Answer<RenewAnswer>): void {
    if (status === 200) {
      if (body.lock.fencing_token !== this.fencingToken)
        throw new Error('Another lease was renewed');
      this.#sentAt = sentAt;
      this.#failures = 0;
      this.#failure = undefined;
      this.#renewInMs = this.#usualRenewMs();
      this.#heardRequest(body.lock.release_requested ?? undefined);
    } else if (problem.forced !== undefined) {
      const { by, reason } = problem.forced;
      this.#lose({ how: 'forced', by, reason: reason ?? undefined });
    } else {
      this.#lose({ how: problem.code === 'lock-lost' ? 'taken' : 'expired' });
    }
  }

  #retryLater(error: unknown): void {
    const { clock } = this.#core;
    this.#failures += 1;
    // A key that is refused now is refused again at once.
    const firstMs = error instanceof NotAllowedError ? 1_000 : 100;
    const mostMs = Math.max(50, this.#leftMs() / 4);
    const sinceTriedMs = elapsedMs(clock, this.#triedAt);
    this.#renewInMs =
      sinceTriedMs + Math.max(20, backoffMs(clock, this.#failures, firstMs, mostMs));
  }

  #heardRequest(request: ReleaseRequest | undefined): void {
    const isNew = request !== undefined && request.at !== this.#request?.at;
    this.#request = request;
    if (isNew) for (const listener of this.#listeners) call(listener, request);
  }

  #lose(loss: { how: Loss; by?: string; reason?: string | undefined }): void {
    this.#lost = new LockLostError({ ...loss, ...this.#named() }, this.#failure);
    this.#stop('lost');
    this.#controller.abort(this.#lost);
  }

  #named() {
    return { resource: this.resource, fencingToken: this.fencingToken };
  }

  #stop(state: 'lost' | 'released'): void {
    this.#state = state;
    this.#core.clock.clearTimeout(this.#timer);
    this.#renewing?.abort();
  }

  async #end(): Promise<Released> {
    const wasHeld = this.#look();
    const leftMs = wasHeld ? this.#leftMs() : 0;
    if (wasHeld) this.#stop('released');
    // A lease that was lost here may still be active there: whoever waits need not wait for its end.
    const how = this.#lost?.how;
    if (how === 'forced' || (how === 'taken' && !this.#grant.wasSentAgain)) return 'lost';
    const answer = await release(this.#core, {
      ...this.#named(),
      owner: this.owner,
      // What followed it may be a try of our own that arrived late; nobody else has this owner.
      ...(how === 'taken' ? { fencingToken: undefined } : {}),
      withinMs: Math.min(Math.max(leftMs, 50), 2 * this.#core.answerTimeoutMs),
      tries: wasHeld ? releaseTriesMax : 1,
    });
    if (!wasHeld) return 'lost';
    if (answer.released === 'lost') {
      const over = answer.code === 'lock-expired' || answer.code === 'not-found';
      this.#lost = new LockLostError({ ...this.#named(), how: over ? 'expired' : 'taken' });
    }
    return answer.released;
  }
}

/** A listener's own error is its own: it surfaces as that of any event listener does, and ends nothing here. */
function call(listener: (request: ReleaseRequest) => void, request: ReleaseRequest): void {
  try {
    listener(request);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
