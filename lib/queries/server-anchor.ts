/**
 * Ties the server's clock to this browser's monotonic one, at the moment an answer arrived. The browser's wall clock
 * may be minutes off and may be set while we look; the monotonic one only runs.
 */
export interface ServerAnchor {
  /** The server's `now` in the answer, in milliseconds since the epoch. */
  readonly serverMs: number;
  /** `performance.now()` when the answer arrived. */
  readonly monotonicMs: number;
}

export function anchorOf(now: string): ServerAnchor {
  return { serverMs: Date.parse(now), monotonicMs: performance.now() };
}

/** The server's time at a later reading of the monotonic clock, in milliseconds since the epoch. */
export function serverMsAt(anchor: ServerAnchor, monotonicMs: number): number {
  return anchor.serverMs + Math.max(0, monotonicMs - anchor.monotonicMs);
}
