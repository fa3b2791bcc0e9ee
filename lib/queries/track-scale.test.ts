import fc from 'fast-check';
import { expect, test } from 'vitest';

import { nowAt, spanFor, trackMarksMs, trackScale, trackSpansMs } from './track-scale';

const spans = fc.constantFrom(...trackSpansMs);
const moments = fc.integer({ min: -1e9, max: 1e9 });

test('later never stands further left, and nothing stands outside', () => {
  fc.assert(
    fc.property(spans, moments, moments, (spanMs, one, other) => {
      const { at } = trackScale(spanMs);
      const [earlier, later] = [at(Math.min(one, other)), at(Math.max(one, other))];
      expect(earlier).toBeLessThanOrEqual(later);
      expect(earlier).toBeGreaterThanOrEqual(0);
      expect(later).toBeLessThanOrEqual(100);
    }),
  );
});

test('what is over ends left of now, what is not ends right of it', () => {
  fc.assert(
    fc.property(spans, moments, (spanMs, ms) => {
      const { at } = trackScale(spanMs);
      expect(Math.sign(at(ms) - nowAt)).toBe(Math.sign(ms));
    }),
  );
});

test('5 s and 24 h are both wide enough to be seen on one axis', () => {
  const { at } = trackScale(86_400_000);
  expect(at(5_000) - nowAt).toBeGreaterThan(2);
  expect(at(86_400_000)).toBe(100);
  expect(at(86_400_000) - at(3_600_000)).toBeGreaterThan(5);
});

test('the marks ascend around now and lie on the axis', () => {
  for (const spanMs of trackSpansMs) {
    const marks = trackMarksMs(spanMs);
    expect(marks).toContain(0);
    expect([...marks].sort((a, b) => a - b)).toEqual(marks);
    expect(Math.max(...marks)).toBeLessThanOrEqual(spanMs);
  }
});

test('the span follows the leases, and one of a day among a hundred short ones does not widen it', () => {
  const short = Array.from({ length: 99 }, (_, index) => index * 300);
  expect(spanFor([])).toBe(600_000);
  expect(spanFor(short)).toBe(600_000);
  expect(spanFor([...short, 86_400_000])).toBe(600_000);
  expect(spanFor([30_000, -3_000_000])).toBe(3_600_000);
  expect(spanFor([30_000, 80_000_000])).toBe(86_400_000);
  expect(spanFor([9 * 86_400_000])).toBe(86_400_000);
});
