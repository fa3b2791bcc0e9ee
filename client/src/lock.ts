import { acquire, type WaitOptions } from './acquire.js';
import { checkResource } from './arguments.js';
import type { Core } from './core.js';
import { BadArgumentError } from './errors.js';
import type { Lease } from './lease.js';
import type { Released } from './release.js';

/**
 * The classic shape, for `try … finally`. One object stands for one user of the lock at a time: who works in parallel
 * takes an object each.
 */
export class Lock {
  readonly resource: string;
  readonly #core: Core;
  readonly #options: WaitOptions;
  #isAcquiring = false;
  #lease: Lease | undefined;

  /** @internal */
  constructor(core: Core, resource: string, options: WaitOptions) {
    this.resource = checkResource(resource);
    this.#core = core;
    this.#options = options;
  }

  /** The lease that is held through this object; undefined before, and after its release. */
  get lease(): Lease | undefined {
    return this.#lease;
  }

  /**
   * @param waitMs how long to wait for it at most.
   * @throws NotAcquiredError, UnavailableError, NotAllowedError; BadArgumentError while this object holds it already.
   */
  async acquire(waitMs?: number): Promise<Lease> {
    if (this.#isAcquiring || this.#lease?.isHeld === true) {
      throw new BadArgumentError('lock', `on ${this.resource} is in use: take one for each task`);
    }
    this.#isAcquiring = true;
    try {
      const options = { ...this.#options, waitMs: waitMs ?? this.#options.waitMs };
      this.#lease = await acquire(this.#core, this.resource, options);
      return this.#lease;
    } finally {
      this.#isAcquiring = false;
    }
  }

  /** Never rejects, so that it masks no error of yours in `finally`. Without a lease there is nothing to do. */
  async release(): Promise<Released> {
    const lease = this.#lease;
    this.#lease = undefined;
    return lease === undefined ? 'released' : lease.release();
  }
}
