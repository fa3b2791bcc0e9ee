/**
 * The time axis of the lease track, with now at a fixed place. Distances from now are drawn by their logarithm, so that a
 * lease of 5 s and one of 24 h are both legible on one axis; within about `linearMs` of now it is nearly linear.
 */
export interface TrackScale {
  readonly spanMs: TrackSpanMs;
  /** Where a moment stands, in percent of the width; beyond the span, at the edge. Negative is before now. */
  readonly at: (fromNowMs: number) => number;
}

/** How far the axis reaches to both sides, in milliseconds. A list takes the smallest that holds its leases. */
export const trackSpansMs = [600_000, 3_600_000, 86_400_000] as const;
export type TrackSpanMs = (typeof trackSpansMs)[number];

/** Where now stands, in percent: more room for what was than for what is to come. */
export const nowAt = 60;

const linearMs = 5_000;
/** So many ends may lie beyond the edge, which marks them with an arrow: one lease of a day must not cramp a thousand. */
const shareBeyondMax = 0.05;

export function trackScale(spanMs: TrackSpanMs): TrackScale {
  const whole = Math.log1p(spanMs / linearMs);
  return {
    spanMs,
    at(fromNowMs) {
      const share = Math.min(1, Math.log1p(Math.abs(fromNowMs) / linearMs) / whole);
      return fromNowMs < 0 ? nowAt * (1 - share) : nowAt + (100 - nowAt) * share;
    },
  };
}

/** The marks of the axis, in milliseconds from now, from left to right; now itself is among them. */
export function trackMarksMs(spanMs: TrackSpanMs): readonly number[] {
  const marks = marksOf[spanMs];
  return [...[...marks].reverse().map((ms) => -ms), 0, ...marks];
}

const marksOf: Readonly<Record<TrackSpanMs, readonly number[]>> = {
  600_000: [10_000, 60_000, 300_000],
  3_600_000: [10_000, 60_000, 600_000],
  86_400_000: [10_000, 60_000, 600_000, 7_200_000],
};

/** The smallest span that holds the ends of nearly all leases, given in milliseconds from now. */
export function spanFor(endsFromNowMs: readonly number[]): TrackSpanMs {
  const beyondMax = Math.floor(endsFromNowMs.length * shareBeyondMax);
  const fits = (spanMs: number) =>
    endsFromNowMs.filter((ms) => Math.abs(ms) > spanMs).length <= beyondMax;
  return trackSpansMs.find(fits) ?? 86_400_000;
}
