import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { createMemoryStore } from '../store/memory/memory-store';
import { acquire } from './acquire';
import { check } from './check';
import { StoreUnavailable } from './errors';
import { inspect } from './inspect';
import { defaultLockSettings } from './limits';
import { storeNowMs, type LockContext } from './lock-rules';
import { renew } from './renew';

const startMs = Date.UTC(2026, 4, 1, 9, 30);
const call = {
  resource: 'job:42',
  owner: 'a',
  client: null,
  requestId: null,
  metadata: null,
  fencingToken: null,
  ttlMs: 10_000,
};

/** A store whose clock the test sets, and an answer that takes `answerMs` from the reading of that clock. */
function openLocks(answerMs = 0) {
  const time = { nowMs: startMs };
  const store = createMemoryStore({ clock: () => time.nowMs });
  const context: LockContext = {
    store: {
      ...store,
      acquire: async (asked) => ({ ...(await store.acquire(asked)), readAtMs: 1_000 }),
      renew: async (asked) => ({ ...(await store.renew(asked)), readAtMs: 1_000 }),
      inspect: async (resource) => ({ ...(await store.inspect(resource)), readAtMs: 1_000 }),
    },
    settings: defaultLockSettings,
    monotonicMs: () => 1_000 + answerMs,
  };
  return { time, store, context };
}

describe('the time of an answer', () => {
  test('is the time of the store plus what has passed since, rounded up and never back', () => {
    const dated = { outcome: null, nowMs: startMs, readAtMs: 1_000 };
    const at = (monotonicMs: number) =>
      storeNowMs(dated, { ...openLocks().context, monotonicMs: () => monotonicMs });
    expect(at(1_000)).toBe(startMs);
    expect(at(1_000.1)).toBe(startMs + 1);
    expect(at(1_250)).toBe(startMs + 250);
    expect(at(900)).toBe(startMs);
  });
});

describe('a grant', () => {
  test('has something left of it when it is answered, or is none', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 100, max: 5_000 }),
        fc.integer({ min: 0, max: 10_000 }),
        async (ttlMs, answerMs) => {
          const { context } = openLocks(answerMs);
          const granting = acquire(context, { ...call, ttlMs });
          if (answerMs >= ttlMs) {
            await expect(granting).rejects.toThrow(StoreUnavailable);
            return;
          }
          const result = await granting;
          if (result.kind !== 'granted') throw new Error('A free lock was not granted');
          expect(result.lease.expiresAtMs - result.nowMs).toBe(ttlMs - answerMs);
        },
      ),
    );
  });

  test('that was renewed too late to be told is not told either', async () => {
    const { context } = openLocks(10_000);
    await context.store.acquire(call);
    await expect(renew(context, call)).rejects.toThrow(StoreUnavailable);
  });
});

describe('a denied caller', () => {
  const denied = async (ttlMs: number, passedMs: number) => {
    const { context, store, time } = openLocks();
    await store.acquire({ ...call, ttlMs });
    time.nowMs += passedMs;
    const result = await acquire(context, { ...call, owner: 'b' });
    if (result.kind !== 'held') throw new Error('A held lock was granted');
    return result;
  };

  test('is told who holds the lock, and not about itself', async () => {
    expect((await denied(10_000, 0)).holder).toMatchObject({ owner: 'a', fencingToken: 1 });
  });

  test('is told to come back when the lease ends, but soon enough for an early release', async () => {
    expect((await denied(4_000, 1_000)).retryAfterMs).toBe(3_000);
    expect((await denied(60_000, 1_000)).retryAfterMs).toBe(5_000);
    expect((await denied(4_000, 3_999)).retryAfterMs).toBe(1);
  });

  test('is told to come back a millisecond later when the lease ended meanwhile', async () => {
    const { context } = openLocks(20_000);
    await context.store.acquire(call);
    const result = await acquire(context, { ...call, owner: 'b' });
    expect(result).toMatchObject({ kind: 'held', retryAfterMs: 1 });
  });

  test('is told to wait for all that is left of a hold', async () => {
    const { context, store } = openLocks();
    const reason = 'maintenance';
    await store.hold({ ...call, actor: 'ann', reason, ttlMs: 3_600_000 });
    expect(await acquire(context, call)).toMatchObject({ kind: 'held', retryAfterMs: 3_600_000 });
  });
});

describe('a reader', () => {
  test('sees an expired lock only when it asks for one', async () => {
    const { context, store, time } = openLocks();
    await store.acquire(call);
    const seen = async (includesExpired: boolean) =>
      (await inspect(context, { resource: call.resource, includesExpired })).lease?.owner;
    expect([await seen(false), await seen(true)]).toEqual(['a', 'a']);
    time.nowMs += call.ttlMs;
    expect([await seen(false), await seen(true)]).toEqual([undefined, 'a']);
  });

  test('does not see a lock that ended while the answer was on its way', async () => {
    const { context, store } = openLocks(call.ttlMs);
    await store.acquire(call);
    const { lease } = await inspect(context, { resource: call.resource, includesExpired: false });
    expect(lease).toBeNull();
  });
});

describe('a token', () => {
  const valid = (fencingToken: number) => ({ resource: call.resource, fencingToken });

  test("is valid while it is the current lease's and that is active", async () => {
    const { context, store, time } = openLocks();
    expect(await check(context, valid(1))).toEqual({
      isValid: false,
      fencingToken: null,
      state: 'free',
    });
    await store.acquire(call);
    await store.acquire(call);
    const active = { fencingToken: 2, state: 'active' };
    expect(await check(context, valid(1))).toEqual({ ...active, isValid: false });
    expect(await check(context, valid(2))).toEqual({ ...active, isValid: true });
    expect(await check(context, valid(3))).toEqual({ ...active, isValid: false });
    time.nowMs += call.ttlMs;
    expect(await check(context, valid(2))).toEqual({
      isValid: false,
      fencingToken: 2,
      state: 'expired',
    });
  });
});
