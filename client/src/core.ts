import type { Metadata } from './arguments.js';
import type { Clock } from './clock.js';
import type { Transport } from './transport.js';
import type { Wakeups } from './wakeups.js';

/** What the parts of one client share. */
export interface Core {
  readonly clock: Clock;
  readonly transport: Transport;
  readonly wakeups: Wakeups;
  /** For one answer. */
  readonly answerTimeoutMs: number;
  /** A new token for each acquisition. */
  readonly mintOwner: () => string;
  /** Goes with every lease: where it is held. */
  readonly metadata: Metadata;
}

export function pathOf(resource: string, verb = ''): string {
  return `/api/locks/${encodeURIComponent(resource)}${verb}`;
}

/** Tries that wait longer and longer, each somewhere between nothing and its limit, so that many callers spread out. */
export function backoffMs(clock: Clock, attempt: number, firstMs: number, mostMs: number): number {
  return clock.random() * Math.min(mostMs, firstMs * 2 ** Math.min(attempt, 30));
}
