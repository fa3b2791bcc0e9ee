import type { Holder } from './wire.js';

/** Every error of this package. `code` tells them apart for programs, also across copies of the package. */
export class HoldfastError extends Error {
  readonly code: string;

  constructor(name: string, code: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = name;
    this.code = code;
  }
}

/** Somebody else holds the lock, and went on holding it for as long as was waited. */
export class NotAcquiredError extends HoldfastError {
  declare readonly resource: string;
  /** Who holds it, as the service last said. */
  declare readonly holder: Holder;
  declare readonly retryAfterMs: number;

  constructor(denied: { resource: string; holder: Holder; retryAfterMs: number }) {
    super(
      'NotAcquiredError',
      'not-acquired',
      `${denied.resource} is held by ${denied.holder.owner}`,
    );
    Object.assign(this, denied);
  }
}

/**
 * How a lease was lost.
 * - `expired`: its time ran out here (a blocked event loop, a suspended machine), or the service says that it is over;
 * - `unavailable`: its time ran out while the service took no renewal; `cause` says why;
 * - `taken`: another lease has followed;
 * - `forced`: an operator ended it: see `by` and `reason`;
 * - `held-too-long`: `maxHoldMs` has passed.
 */
export type Loss = 'expired' | 'unavailable' | 'taken' | 'forced' | 'held-too-long';

/** What is told of a lost lease. */
export interface LossDetails {
  readonly resource: string;
  readonly fencingToken: number;
  readonly how: Loss;
  /** The operator who ended it. */
  readonly by?: string | undefined;
  /** What the operator gave as the reason. */
  readonly reason?: string | undefined;
}

/** A lease that was granted can't be relied on any more. */
export class LockLostError extends HoldfastError implements LossDetails {
  declare readonly resource: string;
  declare readonly fencingToken: number;
  declare readonly how: Loss;
  declare readonly by: string | undefined;
  declare readonly reason: string | undefined;

  constructor(lost: LossDetails, cause?: unknown) {
    const who = lost.by === undefined ? '' : ` by ${lost.by}: ${lost.reason ?? ''}`;
    super('LockLostError', 'lost', `Lost the lease on ${lost.resource}: ${lost.how}${who}`, cause);
    Object.assign(this, lost);
  }
}

/** The service did not answer, or not as the service does. Whether the last call took effect is not known. */
export class UnavailableError extends HoldfastError {
  /** When the service wants to be asked again, if it said so. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    options: { retryAfterMs?: number | undefined; cause?: unknown } = {},
  ) {
    super('UnavailableError', 'unavailable', message, options.cause);
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** The key is missing, not valid, or not for this. */
export class NotAllowedError extends HoldfastError {
  readonly status: number;

  constructor(status: number, detail: string) {
    super('NotAllowedError', 'not-allowed', detail);
    this.status = status;
  }
}

/** An argument that can't be right. Thrown before anything is sent, but for limits that only the service knows. */
export class BadArgumentError extends HoldfastError {
  readonly argument: string;

  constructor(argument: string, problem: string) {
    super('BadArgumentError', 'bad-argument', `${argument} ${problem}`);
    this.argument = argument;
  }
}
