import { expect, test } from 'vitest';

import { expiryOf, expiryOnWire, keyWordOf } from './key-expiry';

const nowMs = Date.parse('2026-05-01T12:00:00.000Z');

test('a date means the end of its day, and one that is over is told', () => {
  const on = (date: string) => expiryOf({ choice: 'date', date }, 'utc', nowMs);
  expect(expiryOnWire(on('2026-05-01'))).toBe('2026-05-01T23:59:59.000Z');
  expect(on('2026-04-30').kind).toBe('past');
  expect(on('').kind).toBe('noDate');
  const local = expiryOf({ choice: 'date', date: '2026-06-01' }, 'local', nowMs);
  expect(local).toEqual({ kind: 'at', atMs: new Date(2026, 5, 1, 23, 59, 59).getTime() });
});

test('days are counted from the server’s now, never is null, and the same is left out', () => {
  const of = (choice: 'never' | 'same' | '30d' | '90d') =>
    expiryOnWire(expiryOf({ choice, date: '' }, 'utc', nowMs));
  expect(of('30d')).toBe('2026-05-31T12:00:00.000Z');
  expect(of('90d')).toBe('2026-07-30T12:00:00.000Z');
  expect(of('never')).toBeNull();
  expect(of('same')).toBeUndefined();
});

test('a key that ends within a week has a word for it, and one that is over has the server’s', () => {
  const at = (expires_at: string | null, state: 'active' | 'expired' | 'revoked' = 'active') =>
    keyWordOf({ state, expires_at }, nowMs);
  expect(at(null)).toBe('active');
  expect(at('2026-05-09T12:00:00.000Z')).toBe('active');
  expect(at('2026-05-08T11:59:59.999Z')).toBe('soon');
  expect(at('2026-05-02T00:00:00.000Z', 'revoked')).toBe('revoked');
  expect(at('2026-04-01T00:00:00.000Z', 'expired')).toBe('expired');
});
