import { acquire, type WaitOptions } from './acquire.js';
import { checkNumber, checkResource } from './arguments.js';
import type { Core } from './core.js';
import { BadArgumentError } from './errors.js';
import { asyncDispose } from './dispose.js';
import type { Lease } from './lease.js';
import type { Released } from './release.js';

/** Leases on several resources that are held together and released together. */
export class LeaseSet implements AsyncDisposable {
  /** In the order in which they were acquired, which is that of their names. */
  readonly leases: readonly Lease[];
  readonly #controller = new AbortController();
  readonly #stop: () => void;

  /** @internal */
  constructor(leases: readonly Lease[]) {
    this.leases = leases;
    const stops = leases.map(({ signal }) => {
      const abort = () => this.#controller.abort(signal.reason);
      if (signal.aborted) abort();
      signal.addEventListener('abort', abort);
      return () => signal.removeEventListener('abort', abort);
    });
    this.#stop = () => stops.forEach((stop) => stop());
  }

  /** Aborted when the first of them is lost. */
  get signal(): AbortSignal {
    // Its own signal looks at the clocks, and tells this one.
    for (const lease of this.leases) if (lease.signal.aborted) break;
    return this.#controller.signal;
  }

  get isHeld(): boolean {
    // Each is looked at: looking is what notices a loss.
    return !this.leases.map((lease) => lease.isHeld).includes(false);
  }

  get remainingMs(): number {
    return Math.min(...this.leases.map((lease) => lease.remainingMs));
  }

  /** @throws LockLostError if one was lost. */
  throwIfLost(): void {
    for (const lease of this.leases) lease.throwIfLost();
  }

  /** The lease on a resource of the set. */
  get(resource: string): Lease {
    const name = checkResource(resource);
    const lease = this.leases.find((each) => each.resource === name);
    if (lease === undefined) throw new BadArgumentError('resource', 'is not of this set');
    return lease;
  }

  /** Never rejects; `lost` if one of them was. */
  async release(): Promise<Released> {
    this.#stop();
    const released = await releaseAll(this.leases);
    return (['lost', 'unknown'] as const).find((each) => released.includes(each)) ?? 'released';
  }

  async [asyncDispose](): Promise<void> {
    await this.release();
  }
}

/**
 * All or none. Everybody acquires in the order of the names, so two who want the same resources never wait for each other;
 * what was acquired is given back when the rest can't be had.
 */
export async function acquireAll(
  core: Core,
  resources: readonly string[],
  options: WaitOptions,
): Promise<LeaseSet> {
  const names = resources.map((resource) => checkResource(resource, 'resources')).sort();
  if (names.length === 0) throw new BadArgumentError('resources', 'must name at least one');
  if (new Set(names).size < names.length) {
    throw new BadArgumentError('resources', 'must not name one twice');
  }
  const { waitMs: waitMsGiven = 10_000 } = options;
  const waitMs = checkNumber(waitMsGiven, 'waitMs', 0, false);
  const startedMs = core.clock.monotonicMs();
  const leases: Lease[] = [];
  try {
    for (const name of names) {
      const spentMs = core.clock.monotonicMs() - startedMs;
      // Zero asks once: so does a wait that is used up.
      leases.push(await acquire(core, name, { ...options, waitMs: Math.max(0, waitMs - spentMs) }));
      for (const lease of leases) lease.throwIfLost();
    }
    return new LeaseSet(leases);
  } catch (error) {
    await releaseAll(leases);
    throw error;
  }
}

function releaseAll(leases: readonly Lease[]): Promise<Released[]> {
  return Promise.all([...leases].reverse().map((lease) => lease.release()));
}
