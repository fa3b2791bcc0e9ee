import type { LockOnWire } from '@/lib/contract/answers';
import type { TrackScale } from '@/lib/queries/track-scale';

import { wordOf, type LockWord } from './lock-state';

/** A lease as it lies on the axis; all places are percent of its width. */
export interface TrackShape {
  readonly word: LockWord;
  readonly from: number;
  /** The last renewal; null when there was none. Those before it are known in number only, and not drawn. */
  readonly renewed: number | null;
  readonly to: number;
  /** It begins before the axis does, or ends after it. */
  readonly isBefore: boolean;
  readonly isBeyond: boolean;
}

export function trackShape(lock: LockOnWire, scale: TrackScale, nowMs: number): TrackShape {
  const fromNow = (at: string) => Date.parse(at) - nowMs;
  const word = wordOf(lock);
  const toMs = fromNow(lock.expires_at);
  return {
    word,
    from: scale.at(fromNow(lock.acquired_at)),
    renewed: lock.renewed_at === null ? null : scale.at(fromNow(lock.renewed_at)),
    // That a lease has ended is the server's to say: until then its bar does not fall behind now.
    to: scale.at(word === 'expired' ? toMs : Math.max(0, toMs)),
    isBefore: fromNow(lock.acquired_at) < -scale.spanMs,
    isBeyond: toMs > scale.spanMs,
  };
}
