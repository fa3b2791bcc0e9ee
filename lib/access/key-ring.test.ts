import { describe, expect, test } from 'vitest';

import type { StoredKey } from './access-store';
import { KeyRing, keyPollMs, keysCountForMs } from './key-ring';
import { hashOfSecret } from './secrets';

/** Keys in a store that can be cut off, and a clock that stands still unless it is moved. */
function setUp(keys: StoredKey[] = []) {
  const state = {
    keys,
    nowMs: 1_000_000,
    isReachable: true,
    lookUps: 0,
    reads: 0,
    lookUpEnds: Promise.resolve(),
  };
  const reach = <T>(value: T): Promise<T> =>
    state.isReachable ? Promise.resolve(value) : Promise.reject(new Error('cut off'));
  const troubles: unknown[] = [];
  const ring = new KeyRing({
    store: {
      nowMs: () => reach(state.nowMs + 5_000_000),
      keys: () => {
        state.reads += 1;
        return reach([...state.keys]);
      },
      findKey: (hash) => {
        state.lookUps += 1;
        const found = reach(state.keys.find((key) => key.secretHash === hash) ?? null);
        return state.lookUpEnds.then(() => found);
      },
      noteUses: () => reach(undefined),
    },
    fixed: null,
    monotonicMs: () => state.nowMs,
    onTrouble: (error) => troubles.push(error),
  });
  return { state, ring, troubles };
}

function keyOf(secret: string, more: Partial<StoredKey> = {}): StoredKey {
  return {
    id: secret,
    name: 'k',
    client: 'c',
    prefix: 'hf_',
    secretHash: hashOfSecret(secret),
    scopes: ['read'],
    patterns: ['*'],
    createdAtMs: 0,
    createdBy: 'ann',
    expiresAtMs: null,
    revokedAtMs: null,
    lastUsedAtMs: null,
    ...more,
  };
}

describe('the ring of keys', () => {
  test('knows a key without asking the store', async () => {
    const { state, ring } = setUp([keyOf('a')]);
    await ring.refresh();
    for (let call = 0; call < 100; call += 1) {
      expect(ring.callerOf('a')).toMatchObject({ keyId: 'a' });
    }
    expect([state.reads, state.lookUps]).toEqual([1, 0]);
  });

  test('a revoked key works no longer than keys count, also where the store can not be read', async () => {
    const { state, ring, troubles } = setUp([keyOf('a')]);
    await ring.refresh();
    state.keys = [keyOf('a', { revokedAtMs: 1 })];
    state.isReachable = false;
    state.nowMs += keysCountForMs - 1;
    expect(ring.callerOf('a')).toMatchObject({ keyId: 'a' });
    state.nowMs += 1;
    await expect(ring.callerOf('a')).rejects.toThrow();
    expect(troubles).toHaveLength(1);
    state.isReachable = true;
    expect(await ring.callerOf('a')).toBeNull();
    expect(keysCountForMs).toBeLessThan(5_000);
    expect(keyPollMs).toBeLessThan(keysCountForMs / 2);
  });

  test('after a long stand-still the keys are read before one is believed', async () => {
    const { state, ring } = setUp([keyOf('a'), keyOf('b')]);
    await ring.refresh();
    state.keys = [keyOf('a'), keyOf('b', { revokedAtMs: 1 })];
    state.nowMs += 60_000;
    expect(await ring.callerOf('b')).toBeNull();
    expect(ring.callerOf('a')).toMatchObject({ keyId: 'a' });
  });

  test('a key ends at its time by the store’s clock', async () => {
    const { state, ring } = setUp();
    state.keys = [keyOf('a', { expiresAtMs: state.nowMs + 5_000_000 + 1_000 })];
    await ring.refresh();
    state.nowMs += 999;
    expect(ring.callerOf('a')).toMatchObject({ keyId: 'a' });
    state.nowMs += 1;
    expect(ring.callerOf('a')).toBeNull();
  });

  test('a key that is revoked while it is looked up stays revoked', async () => {
    const { state, ring } = setUp();
    await ring.refresh();
    state.keys = [keyOf('a')];
    let answer!: () => void;
    state.lookUpEnds = new Promise((resolve) => (answer = resolve));
    const late = ring.callerOf('a');
    state.keys = [keyOf('a', { revokedAtMs: 1 })];
    await ring.refreshAnew();
    answer();
    expect(await late).toBeNull();
    expect(await ring.callerOf('a')).toBeNull();
  });

  test('a key that another instance has made is looked up once, and guesses cost few look-ups', async () => {
    const { state, ring } = setUp();
    await ring.refresh();
    state.keys = [keyOf('new')];
    expect(await ring.callerOf('new')).toMatchObject({ keyId: 'new' });
    expect(ring.callerOf('new')).toMatchObject({ keyId: 'new' });
    expect(state.lookUps).toBe(1);
    for (let guess = 0; guess < 10_000; guess += 1) {
      expect(await ring.callerOf(`guess ${String(guess)}`)).toBeNull();
    }
    expect(state.lookUps).toBeLessThanOrEqual(20);
    state.nowMs += 1_000;
    await ring.callerOf('another guess');
    expect(state.lookUps).toBeLessThanOrEqual(21);
  });
});
