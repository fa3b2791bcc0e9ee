import { expect, test } from 'vitest';

import { outcomeOf, refusedFields } from '../support/api';
import { fresh, grantShort, everywhere, untilExpired } from '../support/both-doors';

everywhere('what operators do', (api) => {
  const inspect = (resource: string) =>
    api.call('inspect', { resource, query: { include: 'expired' } });
  const forceRelease = (resource: string, body: object) =>
    api.call('forceRelease', { resource, body });
  const hold = (resource: string, body: object) => api.call('hold', { resource, body });
  const ask = (resource: string, body: object) => api.call('askRelease', { resource, body });
  const renew = (resource: string, owner = 'owner', extra: object = {}) =>
    api.call('renew', { resource, body: { owner, ttl_ms: 60_000, ...extra } });
  const kinds = async (resource: string) =>
    (await api.call('lockEvents', { resource })).value().events.map((event) => event.kind);
  const expired = async (resource: string) => {
    const lock = await grantShort(api, resource);
    await untilExpired(api, resource);
    return lock;
  };

  test('a force-release ends the lease that was seen, with its reason on record', async () => {
    const resource = fresh();
    const lock = await api.grant(resource, { owner: 'stuck' });
    const body = { fencing_token: lock.fencing_token, reason: '  its host is gone  ' };
    const answer = (await forceRelease(resource, body)).value();
    expect(answer.hold).toBeNull();
    expect(answer.released).toMatchObject({ id: lock.id, owner: 'stuck', state: 'active' });
    expect(outcomeOf(await inspect(resource))).toBe('404 not-found');
    const [event] = (await api.call('lockEvents', { resource })).value().events;
    expect(event).toMatchObject({
      kind: 'force_released',
      owner: 'stuck',
      previous_owner: 'stuck',
      actor: 'env',
      reason: 'its host is gone',
      fencing_token: lock.fencing_token,
    });
    expect(outcomeOf(await forceRelease(resource, body))).toBe('404 not-found');
  });

  test('a force-release of another lease than the one seen changes nothing and shows the lock as it is now', async () => {
    const resource = fresh();
    const { fencing_token: seen } = await api.grant(resource, { owner: 'first' });
    await api.call('release', { resource, body: { owner: 'first' } });
    const now = await api.grant(resource, { owner: 'second' });
    const answer = await forceRelease(resource, { fencing_token: seen, reason: 'stuck' });
    expect(outcomeOf(answer)).toBe('409 lock-changed');
    expect(answer.problem().lock).toMatchObject({ owner: 'second', id: now.id });
    expect((await inspect(resource)).value().lock.fencing_token).toBe(now.fencing_token);
  });

  test('a live lease is not ended without a reason', async () => {
    const resource = fresh();
    const { fencing_token } = await api.grant(resource);
    const answer = await forceRelease(resource, { fencing_token });
    expect(outcomeOf(answer)).toBe('422 invalid-request');
    expect(refusedFields(answer)).toEqual(['reason']);
    expect(outcomeOf(await inspect(resource))).toBe('200');
  });

  test('an expired lease is cleared without a reason', async () => {
    const resource = fresh();
    const { fencing_token } = await expired(resource);
    const body = { fencing_token, only_expired: true, hold_seconds: 0 };
    expect((await forceRelease(resource, body)).value().released.state).toBe('expired');
    // Whether its end was on record already is chance.
    const told = (await kinds(resource)).filter((kind) => kind !== 'expired');
    expect(told).toEqual(['cleared', 'acquired']);
  });

  test('a clearing never ends a lease that is live', async () => {
    const resource = fresh();
    const { fencing_token } = await api.grant(resource);
    const body = { fencing_token, only_expired: true, reason: 'tidying up' };
    const answer = await forceRelease(resource, body);
    expect(outcomeOf(answer)).toBe('409 lock-changed');
    expect(answer.problem().lock?.fencing_token).toBe(fencing_token);
    expect(outcomeOf(await inspect(resource))).toBe('200');
  });

  test('a force-release can keep the resource closed in the same step', async () => {
    const resource = fresh();
    const lock = await api.grant(resource, { owner: 'stuck' });
    const body = { fencing_token: lock.fencing_token, reason: 'let it run out', hold_seconds: 90 };
    const answer = (await forceRelease(resource, body)).value();
    expect(answer.released.owner).toBe('stuck');
    expect(answer.hold).toMatchObject({
      owner: 'operator:env',
      condition: 'closed',
      ttl_ms: 90_000,
      held_by_operator: { name: 'env', reason: 'let it run out' },
    });
    expect(answer.hold?.fencing_token).toBeGreaterThan(lock.fencing_token);
    expect(await kinds(resource)).toEqual(['held', 'force_released', 'acquired']);
  });

  test('an owner whose lease a person ended is told so at its renew, whoever holds the lock by then', async () => {
    const resource = fresh();
    const { fencing_token } = await api.grant(resource, { owner: 'stuck' });
    await forceRelease(resource, { fencing_token, reason: 'its host is gone' });
    const gone = await renew(resource, 'stuck', { fencing_token });
    expect(outcomeOf(gone)).toBe('409 lock-lost');
    expect(gone.problem().forced).toMatchObject({ by: 'env', reason: 'its host is gone' });
    await api.grant(resource, { owner: 'next' });
    for (const answer of [await renew(resource, 'stuck'), await renew(resource, 'stuck')]) {
      expect(outcomeOf(answer)).toBe('409 lock-lost');
      expect(answer.problem().forced?.by).toBe('env');
    }
    expect(await kinds(resource)).toEqual(['acquired', 'noticed', 'force_released', 'acquired']);
    expect((await renew(resource, 'stranger')).problem().forced).toBeUndefined();
  });

  test('nobody acquires, renews or releases what an operator holds', async () => {
    const resource = fresh();
    const held = await hold(resource, { reason: 'migration', ttl_seconds: 3_600 });
    const lock = held.value().lock;
    expect(lock).toMatchObject({
      owner: 'operator:env',
      client: null,
      condition: 'closed',
      held_by_operator: { name: 'env', reason: 'migration' },
    });
    const denied = await api.call('acquire', {
      resource,
      body: { owner: 'stranger', ttl_ms: 1_000 },
    });
    const body = denied.value();
    if (body.acquired) throw new Error('a hold was taken over');
    expect(body.holder.held_by_operator).toEqual({ name: 'env', reason: 'migration' });
    expect(body.retry_after_ms).toBeGreaterThan(3_000_000);
    expect(denied.headers['retry-after']).toBe(String(Math.ceil(body.retry_after_ms / 1_000)));
    const token = { fencing_token: lock.fencing_token };
    expect(outcomeOf(await renew(resource, 'stranger', token))).toBe('409 lock-lost');
    const release = { resource, body: { owner: 'stranger', ...token } };
    expect(outcomeOf(await api.call('release', release))).toBe('403 not-owner');
    expect((await inspect(resource)).value().lock.fencing_token).toBe(lock.fencing_token);
  });

  test('no service goes by the name of a hold', async () => {
    const resource = fresh();
    await hold(resource, { reason: 'migration', ttl_seconds: 3_600 });
    const before = (await inspect(resource)).value().lock;
    const body = { owner: 'operator:env', ttl_ms: 1_000 };
    const byQuery = { resource, query: { owner: 'operator:env' } };
    const answers = [
      await api.call('acquire', { resource, body }),
      await api.call('acquire', { resource: fresh(), body }),
      await api.call('renew', { resource, body }),
      await api.call('release', { resource, body: { owner: 'operator:env' } }),
      await api.call('release', byQuery),
    ];
    for (const answer of answers) {
      expect(outcomeOf(answer)).toBe('422 invalid-request');
      expect(refusedFields(answer)).toEqual(['owner']);
    }
    expect((await inspect(resource)).value().lock).toMatchObject({
      id: before.id,
      fencing_token: before.fencing_token,
    });
    const near = { resource: fresh(), body: { owner: 'Operator:env', ttl_ms: 1_000 } };
    expect(outcomeOf(await api.call('acquire', near))).toBe('200');
  });

  test('a hold evicts a live lease only when that lease is named', async () => {
    const resource = fresh();
    const { fencing_token } = await api.grant(resource, { owner: 'stuck' });
    const body = { reason: 'migration', ttl_seconds: 60 };
    for (const seen of [{}, { fencing_token: fencing_token + 1 }]) {
      const answer = await hold(resource, { ...body, ...seen });
      expect(outcomeOf(answer)).toBe('409 lock-changed');
      expect(answer.problem().lock?.owner).toBe('stuck');
    }
    const { lock } = (await hold(resource, { ...body, fencing_token })).value();
    expect(lock.fencing_token).toBeGreaterThan(fencing_token);
    expect(await kinds(resource)).toEqual(['held', 'force_released', 'acquired']);
    expect((await renew(resource, 'stuck')).problem().forced?.reason).toBe('migration');
  });

  test('an operator prolongs its own hold by naming it, and reopens it with a reason', async () => {
    const resource = fresh();
    const body = { reason: 'migration', ttl_seconds: 60 };
    const first = (await hold(resource, body)).value().lock;
    expect(outcomeOf(await hold(resource, body))).toBe('409 lock-changed');
    const { fencing_token } = first;
    const longer = { fencing_token, reason: 'longer than planned', ttl_seconds: 600 };
    const { lock } = (await hold(resource, longer)).value();
    expect(lock).toMatchObject({ fencing_token, acquired_at: first.acquired_at, ttl_ms: 600_000 });
    expect(Date.parse(lock.expires_at)).toBeGreaterThan(Date.parse(first.expires_at));
    expect(refusedFields(await forceRelease(resource, { fencing_token }))).toEqual(['reason']);
    const end = await forceRelease(resource, { fencing_token, reason: 'done' });
    expect(end.value().released.held_by_operator?.reason).toBe('longer than planned');
    expect(await kinds(resource)).toEqual(['reopened', 'held', 'held']);
    await api.grant(resource);
  });

  test('an expired row is free to be held', async () => {
    const resource = fresh();
    const { fencing_token } = await expired(resource);
    const { lock } = (await hold(resource, { reason: 'migration', ttl_ms: 60_000 })).value();
    expect(lock.fencing_token).toBeGreaterThan(fencing_token);
  });

  test('a holder that is asked to let go sees it at every renew and inspect, until the lease ends', async () => {
    const resource = fresh();
    const { fencing_token } = await api.grant(resource);
    const first = await ask(resource, { fencing_token, reason: 'deploy waits' });
    expect(first.status).toBe(202);
    expect(first.value().lock.release_requested).toMatchObject({
      by: 'env',
      reason: 'deploy waits',
    });
    await ask(resource, { fencing_token, reason: 'deploy still waits' });
    const renewed = (await renew(resource)).value().lock;
    expect(renewed.release_requested?.reason).toBe('deploy still waits');
    const seen = (await inspect(resource)).value().lock;
    expect(seen.release_requested).toEqual(renewed.release_requested);
    expect((await api.grant(resource)).release_requested).toBeNull();
    expect(await kinds(resource)).toEqual([
      'reacquired',
      'release_requested',
      'release_requested',
      'acquired',
    ]);
  });

  test('only the live lease that was seen can be asked', async () => {
    const reason = 'deploy waits';
    const free = await ask(fresh(), { fencing_token: 1, reason });
    expect(outcomeOf(free)).toBe('404 not-found');
    const [live, over, closed] = [fresh(), fresh(), fresh()];
    const { fencing_token } = await api.grant(live);
    const other = await ask(live, { fencing_token: fencing_token + 1, reason });
    expect(outcomeOf(other)).toBe('409 lock-changed');
    const late = await ask(over, { fencing_token: (await expired(over)).fencing_token, reason });
    expect(outcomeOf(late)).toBe('409 lock-changed');
    expect(late.problem().lock?.state).toBe('expired');
    const held = (await hold(closed, { reason, ttl_seconds: 60 })).value().lock;
    const nobody = await ask(closed, { fencing_token: held.fencing_token, reason });
    expect(outcomeOf(nobody)).toBe('409 lock-changed');
  });

  test('a bulk force-release judges each lock alone, in the order in which they were named', async () => {
    const [live, changed, over, gone] = [fresh(), fresh(), fresh(), fresh()];
    const liveLock = await api.grant(live);
    const changedLock = await api.grant(changed);
    const overLock = await expired(over);
    const locks = [
      { resource: gone, fencing_token: 1 },
      { resource: live, fencing_token: liveLock.fencing_token },
      { resource: changed, fencing_token: changedLock.fencing_token + 1_000_000 },
      { resource: over, fencing_token: overLock.fencing_token },
    ];
    const outcomes = async (body: object) =>
      (await api.call('bulkForceRelease', { body: { locks, ...body } }))
        .value()
        .results.map(({ resource, outcome }) => [resource, outcome]);
    expect(await outcomes({ only_expired: true })).toEqual([
      [gone, 'not-found'],
      [live, 'still-active'],
      [changed, 'lock-changed'],
      [over, 'released'],
    ]);
    expect(await outcomes({})).toEqual([
      [gone, 'not-found'],
      [live, 'reason-required'],
      [changed, 'lock-changed'],
      [over, 'not-found'],
    ]);
    expect(await outcomes({ reason: 'datacentre moved' })).toEqual([
      [gone, 'not-found'],
      [live, 'released'],
      [changed, 'lock-changed'],
      [over, 'not-found'],
    ]);
    expect(outcomeOf(await inspect(changed))).toBe('200');
    expect((await renew(live)).problem().forced?.reason).toBe('datacentre moved');
  });

  test('five hundred locks with the longest names fit into one bulk call', async () => {
    const locks = Array.from({ length: 500 }, (_, index) => ({
      resource: `${index}-`.padEnd(512, 'x'),
      fencing_token: 1,
    }));
    const answer = await api.call('bulkForceRelease', { body: { locks, reason: 'stuck' } });
    expect(answer.value().results.map(({ resource }) => resource)).toEqual(
      locks.map(({ resource }) => resource),
    );
  });
});
