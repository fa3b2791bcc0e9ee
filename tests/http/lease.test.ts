import { expect, test } from 'vitest';

import { outcomeOf, refusedFields } from '../support/api';
import { fresh, grantShort, everywhere, untilExpired } from '../support/both-doors';

everywhere('the life of a lease', (api) => {
  const acquire = (resource: string, owner: string, ttlMs = 60_000) =>
    api.call('acquire', { resource, body: { owner, ttl_ms: ttlMs } });
  const renew = (resource: string, owner: string, extra: object = {}) =>
    api.call('renew', { resource, body: { owner, ttl_ms: 60_000, ...extra } });
  const release = (resource: string, owner: string, extra: object = {}) =>
    api.call('release', { resource, body: { owner, ...extra } });
  const inspect = (resource: string, query = {}) => api.call('inspect', { resource, query });

  test('a free lock is granted, with all that its holder must know', async () => {
    const resource = fresh();
    const lock = await api.grant(resource, { owner: 'worker-1', ttlMs: 30_000 });
    expect(lock).toMatchObject({
      resource,
      owner: 'worker-1',
      ttl_ms: 30_000,
      state: 'active',
      condition: null,
      client: 'env',
      renewed_at: null,
      renew_count: 0,
      renew_every_ms: null,
      held_by_operator: null,
      release_requested: null,
      contention: null,
      metadata: null,
    });
    expect(Date.parse(lock.expires_at) - Date.parse(lock.acquired_at)).toBe(30_000);
    expect(lock.remaining_ms).toBeGreaterThan(0);
  });

  test('a TTL in seconds lasts as long as the same TTL in milliseconds', async () => {
    const body = { owner: 'worker', ttl_seconds: 7 };
    const answer = (await api.call('acquire', { resource: fresh(), body })).value();
    expect(answer.acquired && answer.lock.ttl_ms).toBe(7_000);
  });

  test('a held lock is refused, naming its holder and not the caller', async () => {
    const resource = fresh();
    const metadata = { host: 'db-1', job: 'nightly' };
    const lock = await api.grant(resource, { owner: 'first', metadata });
    const answer = await acquire(resource, 'second');
    expect(answer.status).toBe(200);
    expect(answer.value()).toEqual({
      acquired: false,
      resource,
      holder: {
        id: lock.id,
        owner: 'first',
        client: 'env',
        acquired_at: lock.acquired_at,
        expires_at: lock.expires_at,
        fencing_token: lock.fencing_token,
        held_by_operator: null,
        metadata,
      },
      retry_after_ms: 5_000,
    });
    expect(answer.headers['retry-after']).toBe('5');
    expect((await inspect(resource)).value().lock.owner).toBe('first');
  });

  test('a caller is told to come back no later than when the lease ends', async () => {
    const resource = fresh();
    await api.grant(resource, { ttlMs: 1_500 });
    const answer = await acquire(resource, 'second');
    const body = answer.value();
    if (body.acquired) throw new Error('two owners hold one lock');
    expect(body.retry_after_ms).toBeLessThanOrEqual(1_500);
    expect(answer.headers['retry-after']).toBe(String(Math.ceil(body.retry_after_ms / 1_000)));
  });

  test('an owner that acquires again what it holds gets the same row and a larger token, and the earlier one is lost', async () => {
    const resource = fresh();
    const first = await api.grant(resource, { owner: 'worker' });
    const second = await api.grant(resource, { owner: 'worker', metadata: { pid: '7' } });
    expect(second.id).toBe(first.id);
    expect(second.fencing_token).toBeGreaterThan(first.fencing_token);
    expect(second.metadata).toEqual({ pid: '7' });
    const stale = { fencing_token: first.fencing_token };
    expect(outcomeOf(await renew(resource, 'worker', stale))).toBe('409 lock-lost');
    expect(outcomeOf(await release(resource, 'worker', stale))).toBe('403 not-owner');
    expect((await inspect(resource)).value().lock.fencing_token).toBe(second.fencing_token);
  });

  test('an expired lock is claimed in place: the row stays and the token grows', async () => {
    const resource = fresh();
    const first = await grantShort(api, resource, 'first');
    await untilExpired(api, resource);
    const second = await grantShort(api, resource, 'second');
    await untilExpired(api, resource);
    const third = await api.grant(resource, { owner: 'second' });
    expect([second.id, third.id]).toEqual([first.id, first.id]);
    expect(second.fencing_token).toBeGreaterThan(first.fencing_token);
    expect(third.fencing_token).toBeGreaterThan(second.fencing_token);
    expect(third.renew_count).toBe(0);
  });

  test('the owner that overran its lease can neither renew nor release what another holds by now', async () => {
    const resource = fresh();
    await grantShort(api, resource, 'late');
    await untilExpired(api, resource);
    const { fencing_token } = await api.grant(resource, { owner: 'next' });
    expect(outcomeOf(await renew(resource, 'late'))).toBe('409 lock-lost');
    expect(outcomeOf(await release(resource, 'late'))).toBe('403 not-owner');
    expect((await inspect(resource)).value().lock).toMatchObject({ owner: 'next', fencing_token });
  });

  test('an expired lease cannot be renewed although nobody has claimed it, and its release says that it overran', async () => {
    const resource = fresh();
    await grantShort(api, resource, 'late');
    await untilExpired(api, resource);
    expect(outcomeOf(await renew(resource, 'late'))).toBe('409 lock-expired');
    expect(outcomeOf(await release(resource, 'late'))).toBe('404 lock-expired');
    expect(outcomeOf(await inspect(resource))).toBe('404 not-found');
    expect((await inspect(resource, { include: 'expired' })).value().lock).toMatchObject({
      owner: 'late',
      state: 'expired',
      remaining_ms: 0,
      condition: null,
    });
  });

  test('a renewed lease lasts longer and stays the same lease', async () => {
    const resource = fresh();
    const lock = await api.grant(resource, { ttlMs: 20_000 });
    const token = { fencing_token: lock.fencing_token };
    const renewed = (await renew(resource, 'owner', token)).value().lock;
    expect(renewed).toMatchObject({
      id: lock.id,
      acquired_at: lock.acquired_at,
      fencing_token: lock.fencing_token,
      renew_count: 1,
      ttl_ms: 60_000,
    });
    expect(Date.parse(renewed.expires_at)).toBeGreaterThan(Date.parse(lock.expires_at));
    expect((await inspect(resource)).value().lock.expires_at).toBe(renewed.expires_at);
  });

  test('a renewal never makes a lease shorter', async () => {
    const resource = fresh();
    const lock = await api.grant(resource, { ttlMs: 60_000 });
    const renewed = (await renew(resource, 'owner', { ttl_ms: 100 })).value().lock;
    expect(renewed.expires_at).toBe(lock.expires_at);
  });

  test('only the owner with the current token renews', async () => {
    const resource = fresh();
    const { fencing_token } = await api.grant(resource, { owner: 'holder' });
    expect(outcomeOf(await renew(resource, 'other'))).toBe('409 lock-lost');
    expect(outcomeOf(await renew(resource, 'other', { fencing_token }))).toBe('409 lock-lost');
    const wrong = { fencing_token: fencing_token + 1 };
    expect(outcomeOf(await renew(resource, 'holder', wrong))).toBe('409 lock-lost');
    expect(outcomeOf(await renew(resource, 'holder', { fencing_token }))).toBe('200');
    expect(outcomeOf(await renew(fresh(), 'holder'))).toBe('404 not-found');
  });

  test('a release frees the lock at once and leaves no row', async () => {
    const resource = fresh();
    const lock = await api.grant(resource);
    const answer = await release(resource, 'owner', { fencing_token: lock.fencing_token });
    expect([answer.status, answer.body]).toEqual([204, '']);
    expect(outcomeOf(await inspect(resource, { include: 'expired' }))).toBe('404 not-found');
    expect(outcomeOf(await release(resource, 'owner'))).toBe('404 not-found');
    expect(outcomeOf(await renew(resource, 'owner'))).toBe('404 not-found');
    expect((await api.grant(resource)).fencing_token).toBeGreaterThan(lock.fencing_token);
  });

  test('a release may name the lease in the query, and is held to it', async () => {
    const resource = fresh();
    const { fencing_token } = await api.grant(resource, { owner: 'a&b=c d+e%' });
    const by = (query: Record<string, string | number>) => api.call('release', { resource, query });
    expect(outcomeOf(await by({ owner: 'a' }))).toBe('403 not-owner');
    const stale = { owner: 'a&b=c d+e%', fencing_token: fencing_token + 1 };
    expect(outcomeOf(await by(stale))).toBe('403 not-owner');
    expect(outcomeOf(await by({ owner: 'a&b=c d+e%', fencing_token }))).toBe('204');
  });

  test('a release takes owner and token from the body or the query, not from both', async () => {
    const resource = fresh();
    await api.grant(resource);
    const both = { resource, query: { owner: 'owner' }, body: { owner: 'owner' } };
    const answer = await api.call('release', both);
    expect(outcomeOf(answer)).toBe('422 invalid-request');
    expect(refusedFields(answer)).toEqual(['owner']);
    const neither = await api.call('release', { resource });
    expect(refusedFields(neither)).toEqual(['owner']);
    expect(outcomeOf(await inspect(resource))).toBe('200');
  });

  test('an inspection tells the time by which it judged', async () => {
    const resource = fresh();
    await api.grant(resource);
    const { lock, now } = (await inspect(resource)).value();
    expect(Date.parse(lock.expires_at) - Date.parse(now)).toBe(lock.remaining_ms);
    expect(outcomeOf(await inspect(fresh()))).toBe('404 not-found');
    expect(refusedFields(await inspect(resource, { include: 'all' }))).toEqual(['include']);
  });

  test('a check is valid for the current token of a live lease, and for nothing else', async () => {
    const resource = fresh();
    const check = async (fencing_token: number) =>
      (await api.call('check', { resource, body: { fencing_token } })).value();
    expect(await check(1)).toEqual({ valid: false, fencing_token: null, state: 'free' });
    const { fencing_token } = await api.grant(resource, { ttlMs: 60_000 });
    expect(await check(fencing_token)).toEqual({ valid: true, fencing_token, state: 'active' });
    expect(await check(fencing_token + 1)).toMatchObject({ valid: false, fencing_token });
    await release(resource, 'owner');
    expect(await check(fencing_token)).toMatchObject({ valid: false, state: 'free' });
    const short = await grantShort(api, resource);
    await untilExpired(api, resource);
    expect(await check(short.fencing_token)).toEqual({
      valid: false,
      fencing_token: short.fencing_token,
      state: 'expired',
    });
  });

  test('of fifty callers of a free lock exactly one is granted', async () => {
    const resource = fresh();
    const callers = Array.from({ length: 50 }, (_, index) => acquire(resource, `caller-${index}`));
    const answers = (await Promise.all(callers)).map((answer) => answer.value());
    expect(answers.filter((answer) => answer.acquired)).toHaveLength(1);
  });

  test('two hundred calls at the same moment on different locks are all granted, each with its own token', async () => {
    const names = Array.from({ length: 200 }, () => fresh());
    const locks = await Promise.all(names.map((name) => api.grant(name)));
    expect(new Set(locks.map((lock) => lock.fencing_token)).size).toBe(200);
    expect(locks.map((lock) => lock.resource)).toEqual(names);
  });
});
