import { isIPv6 } from 'node:net';

import { TokenBuckets } from './token-bucket';

/** Ten guesses at a password at once, and then one in half a minute: 2,900 a day, against at least 12 characters. */
const perAccount = { capacity: 10, perSecond: 1 / 30 };
const perSource = { capacity: 30, perSecond: 1 / 10 };
const namesMax = 10_000;

/** How often one may try to sign in, in this process: by account, and by the address that the attempt comes from. */
export class SignInLimits {
  readonly #accounts = new TokenBuckets(perAccount, namesMax);
  readonly #sources = new TokenBuckets(perSource, namesMax);
  readonly #monotonicMs: () => number;

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  /**
   * @param source null if it is not known: all such attempts share one limit.
   * @returns 0 if the attempt may be made, or in how many milliseconds it may.
   */
  attempt(account: string, source: string | null): number {
    const waitMs = this.attemptFrom(source);
    return waitMs > 0 ? waitMs : this.#accounts.take(accountOf(account), this.#monotonicMs());
  }

  /** The same for an attempt that names no account. */
  attemptFrom(source: string | null): number {
    return this.#sources.take(groupOf(source), this.#monotonicMs());
  }

  /** An attempt that was right does not count. */
  succeeded(account: string, source: string | null): void {
    this.#accounts.giveBack(accountOf(account));
    this.succeededFrom(source);
  }

  succeededFrom(source: string | null): void {
    this.#sources.giveBack(groupOf(source));
  }
}

function accountOf(email: string): string {
  return email.trim().toLowerCase().slice(0, 200);
}

/** One subscriber has a whole /64 of IPv6 addresses. */
function groupOf(source: string | null): string {
  if (source === null || !isIPv6(source)) return (source ?? '').slice(0, 64);
  const [head = '', tail] = source.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0');
  return [...before, ...zeros, ...after]
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, '').toLowerCase())
    .join(':');
}
