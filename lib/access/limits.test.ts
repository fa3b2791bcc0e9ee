import { describe, expect, test } from 'vitest';

import { CallLimits } from './call-limits';
import type { Caller } from './callers';
import { SignInLimits } from './sign-in-limits';
import { parseTrustedProxies, sourceOf } from './trusted-proxies';

const caller: Caller = {
  kind: 'key',
  keyId: 'k',
  name: 'k',
  client: 'c',
  scopes: ['acquire'],
  patterns: [],
  expiresAtMs: null,
};

function clock() {
  const time = { nowMs: 0 };
  return { time, read: () => time.nowMs };
}

const countTaken = (take: () => number, tries: number) =>
  Array.from({ length: tries }, take).filter((waitMs) => waitMs === 0).length;

describe('calls of a key', () => {
  test('are two seconds’ worth at once, and then as many as the rate', () => {
    const { time, read } = clock();
    const limits = new CallLimits(10, read);
    expect(countTaken(() => limits.take(caller, 'call'), 100)).toBe(20);
    expect(limits.take(caller, 'call')).toBe(100);
    time.nowMs += 1_000;
    expect(countTaken(() => limits.take(caller, 'call'), 100)).toBe(10);
    time.nowMs += 3_600_000;
    expect(countTaken(() => limits.take(caller, 'call'), 100)).toBe(20);
  });

  test('never empty the bucket of renewals and releases, nor those of another key', () => {
    const limits = new CallLimits(10, clock().read);
    countTaken(() => limits.take(caller, 'call'), 100);
    expect(limits.take(caller, 'keeping')).toBe(0);
    expect(limits.take({ ...caller, keyId: 'other' }, 'call')).toBe(0);
  });

  test('renewals grow with the leases held, so that each can be renewed as fast as its TTL wants', () => {
    const { time, read } = clock();
    const limits = new CallLimits(1, read);
    for (let lease = 0; lease < 500; lease += 1) {
      limits.noteHeld(caller, `job:${String(lease)}`, 60_000);
    }
    for (let second = 0; second < 30; second += 1) {
      time.nowMs += 1_000;
      expect(countTaken(() => limits.take(caller, 'keeping'), 500 * 30)).toBe(500 * 30);
    }
    for (let lease = 0; lease < 500; lease += 1)
      limits.noteReleased(caller, `job:${String(lease)}`);
    expect(countTaken(() => limits.take(caller, 'keeping'), 1_000)).toBeLessThanOrEqual(2);
  });
});

describe('attempts to sign in', () => {
  test('are few for an account, whatever its letters, and come back slowly', () => {
    const { time, read } = clock();
    const limits = new SignInLimits(read);
    const from = (index: number) => `198.51.100.${String(index)}`;
    const guesses = Array.from({ length: 500 }, (_, index) =>
      limits.attempt(index % 2 === 0 ? 'Ann@example.com' : ' ann@EXAMPLE.com', from(index % 250)),
    );
    expect(guesses.filter((waitMs) => waitMs === 0)).toHaveLength(10);
    expect(guesses.at(-1)).toBeGreaterThan(20_000);
    time.nowMs += 30_000;
    expect(limits.attempt('ann@example.com', from(251))).toBe(0);
    expect(limits.attempt('ann@example.com', from(252))).toBeGreaterThan(0);
  });

  test('are few for an address, and a whole /64 is one', () => {
    const limits = new SignInLimits(clock().read);
    const attempt = (index: number) =>
      limits.attempt(`m${String(index)}@example.com`, `2001:db8:0:1::${index.toString(16)}`);
    let number = 0;
    expect(countTaken(() => attempt((number += 1)), 100)).toBe(30);
    expect(limits.attempt('m@example.com', '2001:0DB8:0000:0001:9::1')).toBeGreaterThan(0);
    for (const other of ['2001:db8:0:2::1', '2001:db8::2:2:3:4:5', '::1', 'not an address']) {
      expect([other, limits.attempt('m@example.com', other)]).toEqual([other, 0]);
    }
  });

  test('that were right do not count', () => {
    const limits = new SignInLimits(clock().read);
    for (let time = 0; time < 200; time += 1) {
      expect(limits.attempt('ann@example.com', '198.51.100.1')).toBe(0);
      limits.succeeded('ann@example.com', '198.51.100.1');
    }
  });
});

describe('where a request comes from', () => {
  const trusted = parseTrustedProxies('10.0.0.0/8, ::1');
  const from = (address: string | null, forwarded: string, proto = 'https') =>
    sourceOf(
      new Headers({ 'x-forwarded-for': forwarded, 'x-forwarded-proto': proto }),
      { address, isEncrypted: false },
      trusted,
    );

  test('is the peer, and forwarding headers of anybody else count for nothing', () => {
    expect(from('203.0.113.7', '198.51.100.1')).toEqual({ address: '203.0.113.7', isTls: false });
    expect(from(null, '198.51.100.1')).toEqual({ address: null, isTls: false });
  });

  test('is what the nearest trusted proxy saw, not what stands further left', () => {
    expect(from('10.0.0.1', '1.1.1.1, 203.0.113.7')).toEqual({
      address: '203.0.113.7',
      isTls: true,
    });
    expect(from('::ffff:10.0.0.1', '1.1.1.1, 203.0.113.7, 10.0.0.2').address).toBe('203.0.113.7');
    expect(from('10.0.0.1', '').address).toBe('10.0.0.1');
    expect(from('10.0.0.1', '203.0.113.7', 'https, http').isTls).toBe(false);
  });

  test.each(['10.0.0', 'proxy', '10.0.0.0/x', '10.0.0.0/33'])('%s is no proxy', (entry) => {
    expect(() => parseTrustedProxies(entry)).toThrow(RangeError);
  });
});
