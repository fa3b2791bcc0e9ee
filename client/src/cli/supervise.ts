import type { LockLostError } from '../errors.js';
import type { Lease } from '../lease.js';
import { untilGone, type Ending, type Group } from './group.js';

export interface Supervision {
  readonly ending: Ending;
  /** Set when the command was ended because of its lease. */
  readonly cutShort: boolean;
  readonly lost: LockLostError | undefined;
}

const lookMs = 100;

/**
 * Ends the group before its lease ends: TERM while there is time to clean up, KILL just before the end. Nothing of the group
 * is left when this resolves, so the lock can be released.
 *
 * @param killAfterMs between TERM and KILL, at most.
 */
export async function supervise(
  group: Group,
  lease: Lease,
  killAfterMs: number,
): Promise<Supervision> {
  const end = new End(group, lease, killAfterMs);
  const { signal } = lease;
  const look = () => end.look();
  signal.addEventListener('abort', look);
  end.look();
  const ending = await group.ended;
  const cutShort = end.isBegun;
  // What the command has left behind would work without a lock as soon as that is released.
  if (group.isAlive()) end.begin();
  await untilGone(group, killAfterMs + 1_000);
  signal.removeEventListener('abort', look);
  end.stop();
  return { ending, cutShort, lost: lease.lost };
}

/** The end of a group, which begins when its lease nears its own. */
class End {
  readonly #group: Group;
  readonly #lease: Lease;
  readonly #killAfterMs: number;
  /** KILL needs a moment to be carried out. */
  readonly #marginMs: number;
  #leaseEndsMs: number;
  #killAtMs = Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;
  isBegun = false;

  constructor(group: Group, lease: Lease, killAfterMs: number) {
    this.#group = group;
    this.#lease = lease;
    this.#killAfterMs = killAfterMs;
    this.#marginMs = Math.min(500, Math.max(50, lease.ttlMs / 20));
    this.#leaseEndsMs = performance.now() + lease.remainingMs;
  }

  look(): void {
    const nowMs = performance.now();
    if (this.#lease.isHeld) this.#leaseEndsMs = nowMs + this.#lease.remainingMs;
    const termAtMs = this.#leaseEndsMs - this.#marginMs - this.#killAfterMs;
    if (!this.#lease.isHeld || nowMs >= termAtMs) this.begin();
    // Once its time is over, somebody else may be at work.
    const isOver = ['expired', 'unavailable'].includes(this.#lease.lost?.how ?? '');
    if (this.isBegun && (isOver || nowMs >= this.#killAtMs)) this.#group.signal('SIGKILL');
    const nextMs = (this.isBegun ? this.#killAtMs : termAtMs) - nowMs;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.look(), Math.max(5, Math.min(lookMs, nextMs)));
  }

  begin(): void {
    if (this.isBegun) return;
    this.isBegun = true;
    const latestMs = this.#leaseEndsMs - this.#marginMs;
    this.#killAtMs = Math.min(performance.now() + this.#killAfterMs, latestMs);
    this.#group.signal('SIGTERM');
    // A stopped process takes its TERM when it goes on.
    this.#group.signal('SIGCONT');
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
