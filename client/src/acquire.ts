import { checkMetadata, checkNumber, checkResource, type Metadata } from './arguments.js';
import { abortWaker, sleep, type Waker } from './clock.js';
import { backoffMs, pathOf, type Core } from './core.js';
import { NotAcquiredError, UnavailableError } from './errors.js';
import { Lease } from './lease.js';
import { release } from './release.js';
import type { Answer } from './transport.js';
import type { AcquireAnswer, Holder } from './wire.js';

export interface LeaseOptions {
  /** How long the lease lasts should this process die; 30,000 unless given. It is renewed at a third of that. */
  readonly ttlMs?: number | undefined;
  /** The lease is given up, and `signal` aborted, when it was held this long. Without it, renewal has no end. */
  readonly maxHoldMs?: number | undefined;
  /** What the work is, for operators. */
  readonly job?: string | undefined;
  /** Where operators can read more about the work: an address. */
  readonly link?: string | undefined;
  /** Beside host, pid, job and link: at most 16 short strings in all. */
  readonly metadata?: Metadata | undefined;
  /** Gives up acquiring, with the signal's reason. It does not end the lease. */
  readonly signal?: AbortSignal | undefined;
}

export interface WaitOptions extends LeaseOptions {
  /** How long to go on asking while somebody else holds the lock: 10,000 unless given, 0 for once, Infinity. */
  readonly waitMs?: number | undefined;
}

// While an operator keeps a resource closed for hours, somebody may reopen it early.
const pauseMsMax = 60_000;
const lateMsMax = 1_000;
const onceTriesMax = 3;

interface Denied {
  readonly holder: Holder;
  readonly retryAfterMs: number;
}

/** One attempt, sent again when its answer is lost. @returns undefined if somebody else holds the lock. */
export async function tryAcquire(
  core: Core,
  resource: string,
  options: LeaseOptions,
): Promise<Lease | undefined> {
  const outcome = await new Acquisition(core, resource, { ...options, waitMs: 0 }).run();
  return outcome instanceof Lease ? outcome : undefined;
}

/** @throws NotAcquiredError, UnavailableError, NotAllowedError, BadArgumentError, or the reason of `signal`. */
export async function acquire(core: Core, resource: string, options: WaitOptions): Promise<Lease> {
  const acquisition = new Acquisition(core, resource, options);
  const outcome = await acquisition.run();
  if (outcome instanceof Lease) return outcome;
  throw new NotAcquiredError({ resource: acquisition.resource, ...outcome });
}

/** All the asking for one lease, under one owner: so a try whose answer got lost is never in the way of the next. */
class Acquisition {
  readonly resource: string;
  readonly #core: Core;
  readonly #ttlMs: number;
  readonly #maxHoldMs: number;
  readonly #waitMs: number;
  readonly #metadata: Metadata;
  readonly #signal: AbortSignal | undefined;
  readonly #owner: string;
  readonly #startedMs: number;
  #unanswered = 0;

  constructor(core: Core, resource: string, options: WaitOptions) {
    const { ttlMs = 30_000, maxHoldMs = Infinity, waitMs = 10_000, job, link, signal } = options;
    this.resource = checkResource(resource);
    this.#ttlMs = checkNumber(ttlMs, 'ttlMs', 100, true);
    this.#maxHoldMs = checkNumber(maxHoldMs, 'maxHoldMs', 1, false);
    this.#waitMs = checkNumber(waitMs, 'waitMs', 0, false);
    this.#metadata = checkMetadata({
      ...core.metadata,
      ...(job === undefined ? {} : { job }),
      ...(link === undefined ? {} : { link }),
      ...options.metadata,
    });
    this.#signal = signal;
    this.#core = core;
    this.#owner = core.mintOwner();
    this.#startedMs = core.clock.monotonicMs();
  }

  async run(): Promise<Lease | Denied> {
    let listening: Listening | undefined;
    try {
      for (let attempt = 0; ; attempt += 1) {
        const outcome = await this.#askUnlessAborted();
        if (outcome instanceof Lease) return outcome;
        if (this.#isOver(outcome, attempt)) {
          if (outcome instanceof UnavailableError) throw outcome;
          return outcome;
        }
        if ('holder' in outcome && this.#leftMs() > lateMsMax) {
          listening ??= this.#core.wakeups.listen(this.resource);
        }
        await this.#pause(outcome, attempt, listening);
      }
    } catch (error) {
      // It may have been granted all the same: nobody should have to wait for the end of that.
      if (this.#unanswered > 0) void this.#giveBack();
      throw error;
    } finally {
      listening?.close();
    }
  }

  #leftMs(): number {
    return this.#waitMs - (this.#core.clock.monotonicMs() - this.#startedMs);
  }

  /** One that is asked once asks again only for an answer that it did not get. */
  #isOver(outcome: Denied | UnavailableError, attempt: number): boolean {
    if (this.#waitMs > 0) return this.#leftMs() <= 0;
    return !(outcome instanceof UnavailableError) || attempt + 1 >= onceTriesMax;
  }

  /** An aborted wait leaves at once, and the lease that may still be granted to it is given back. */
  async #askUnlessAborted(): Promise<Lease | Denied | UnavailableError> {
    const signal = this.#signal;
    signal?.throwIfAborted();
    const asking = this.#ask();
    if (signal === undefined) return asking;
    let remove: (() => void) | undefined;
    const aborted = new Promise<undefined>((resolve) => {
      remove = abortWaker(signal)(() => resolve(undefined));
    });
    const outcome = await Promise.race([asking, aborted]);
    remove?.();
    if (!signal.aborted) return outcome ?? asking;
    void asking
      .then(async (late) => {
        await (late instanceof Lease ? late.release() : this.#giveBack());
      })
      .catch(() => undefined);
    return Promise.reject(signal.reason as Error);
  }

  /** @throws NotAllowedError, BadArgumentError: asking again would not help. */
  async #ask(): Promise<Lease | Denied | UnavailableError> {
    const { transport, answerTimeoutMs } = this.#core;
    // The wait is over at most a second late, also when nobody answers.
    const timeoutMs = this.#waitMs === 0 ? Infinity : Math.max(this.#leftMs(), lateMsMax);
    try {
      const answer = await transport.send<AcquireAnswer>({
        method: 'POST',
        path: pathOf(this.resource),
        body: { owner: this.#owner, ttl_ms: this.#ttlMs, metadata: this.#metadata },
        timeoutMs: Math.min(answerTimeoutMs, timeoutMs),
      });
      return this.#read(answer);
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      this.#unanswered += 1;
      return error;
    }
  }

  #read({ body, status, sentAt }: Answer<AcquireAnswer>): Lease | Denied {
    if (status !== 200) throw new UnavailableError(`The service answered ${status}`);
    if (body.acquired) {
      const fencingToken = body.lock.fencing_token;
      if (!Number.isSafeInteger(fencingToken)) throw new UnavailableError('No fencing token');
      const lease = new Lease(this.#core, {
        resource: this.resource,
        owner: this.#owner,
        fencingToken,
        ttlMs: this.#ttlMs,
        maxHoldMs: this.#maxHoldMs,
        sentAt,
        wasSentAgain: this.#unanswered > 0,
      });
      if (lease.isHeld) return lease;
      throw new UnavailableError('The grant came too late');
    }
    if (typeof body.holder === 'object') {
      return { holder: body.holder, retryAfterMs: Math.max(1, body.retry_after_ms) };
    }
    throw new UnavailableError('No answer of Holdfast');
  }

  /** Never before the service says that asking is worthwhile, and all who were told the same apart from each other. */
  async #pause(
    outcome: Denied | UnavailableError,
    attempt: number,
    listening: Listening | undefined,
  ): Promise<void> {
    const { clock } = this.#core;
    const askedMs = Math.min(outcome.retryAfterMs ?? 0, pauseMsMax);
    const pauseMs = askedMs + Math.max(10, backoffMs(clock, attempt, 100, 2_000));
    const leftMs = this.#waitMs === 0 ? Infinity : Math.max(0, this.#leftMs());
    const wakers = this.#signal === undefined ? [] : [abortWaker(this.#signal)];
    const event = { isHeard: false };
    const byEvent: Waker = (wake) =>
      listening?.waker(() => {
        event.isHeard = true;
        wake();
      }) ?? (() => undefined);
    await sleep(clock, Math.min(pauseMs, leftMs), [...wakers, byEvent]);
    // Everybody who waits has heard the same.
    if (event.isHeard) await sleep(clock, backoffMs(clock, 0, 100, 100), wakers);
  }

  /** Never rejects. */
  async #giveBack(): Promise<void> {
    const { answerTimeoutMs } = this.#core;
    const lease = { resource: this.resource, owner: this.#owner, fencingToken: undefined };
    await release(this.#core, { ...lease, withinMs: answerTimeoutMs, tries: 1 });
  }
}

type Listening = ReturnType<Core['wakeups']['listen']>;
