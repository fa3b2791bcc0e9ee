/** The largest fencing token: the last number that JSON carries exactly. The counter never passes it. */
export const tokenMax = 9_007_199_254_740_991;

/** By how many tokens, or to which, the counter is to rise. */
export type TokenRaise = { readonly by: number } | { readonly to: number };

/** The counter at two moments with nothing in between: the last token that can have been granted. */
export interface RaisedCounter {
  readonly before: number;
  readonly after: number;
}

/** The counter that all fencing tokens of a store are drawn from. It works beside instances that serve. */
export interface TokenCounter {
  /** The last token that was drawn. */
  read(): Promise<number>;
  /**
   * Raises the counter in one step, between grants: never lower than any token that was drawn, and two raises at once
   * both count. Durable when it resolves.
   *
   * @returns null where the counter would pass {@link tokenMax}: it stays as it is.
   */
  raise(raise: TokenRaise): Promise<RaisedCounter | null>;
  close(): Promise<void>;
}

/** Where the counter stands after a raise; never lower than before, and null if it would pass the largest token. */
export function raisedFrom(before: number, raise: TokenRaise): number | null {
  if ('to' in raise) return raise.to > tokenMax ? null : Math.max(before, raise.to);
  // Not their sum: it may not be exact.
  return raise.by > tokenMax - before ? null : before + raise.by;
}
