import { expect, test } from 'vitest';

import { outcomeOf, refusedFields, type Call } from '../support/api';
import { fresh, everywhere, untilExpired } from '../support/both-doors';

everywhere('the history of a lock', (api) => {
  const history = async (resource: string, query = {}) =>
    (await api.call('lockEvents', { resource, query })).value();

  test('tells each change of a lock once, newest first, also after its row is gone', async () => {
    const resource = fresh();
    const one = await api.grant(resource, { owner: 'one' });
    const two = await api.grant(resource, { owner: 'one', ttlMs: 2_000 });
    await untilExpired(api, resource);
    const three = await api.grant(resource, { owner: 'two' });
    await api.call('acquire', { resource, body: { owner: 'three', ttl_ms: 1_000 } });
    await api.call('release', { resource, body: { owner: 'two' } });
    const { events, next_cursor } = await history(resource);
    expect(next_cursor).toBeNull();
    expect(
      events.map(({ kind, owner, previous_owner, fencing_token }) => ({
        kind,
        owner,
        previous_owner,
        fencing_token,
      })),
    ).toEqual([
      { kind: 'released', owner: 'two', previous_owner: null, fencing_token: three.fencing_token },
      { kind: 'claimed', owner: 'two', previous_owner: 'one', fencing_token: three.fencing_token },
      { kind: 'reacquired', owner: 'one', previous_owner: 'one', fencing_token: two.fencing_token },
      { kind: 'acquired', owner: 'one', previous_owner: null, fencing_token: one.fencing_token },
    ]);
    expect(events[0]?.held_ms).toBeGreaterThanOrEqual(0);
    expect(events[1]?.held_ms).toBe(2_000);
    expect(events.map((event) => event.actor)).toEqual([null, null, null, null]);
  });

  test('names the request that a change came by', async () => {
    const resource = fresh();
    const headers = { 'x-request-id': 'trace.1_a-B' };
    await api.call('acquire', { resource, body: { owner: 'one', ttl_ms: 60_000 }, headers });
    await api.call('release', { resource, query: { owner: 'one' }, headers });
    const { events } = await history(resource);
    expect(events.map((event) => event.request_id)).toEqual(['trace.1_a-B', 'trace.1_a-B']);
  });

  test('is empty for a resource that was never locked', async () => {
    expect(await history(fresh())).toEqual({ events: [], next_cursor: null });
  });

  test('pages through all of it once', async () => {
    const resource = fresh();
    const tokens: number[] = [];
    for (let count = 0; count < 5; count += 1)
      tokens.push((await api.grant(resource)).fencing_token);
    const seen: (number | null)[] = [];
    let cursor: string | null = null;
    do {
      const page: { events: { fencing_token: number | null }[]; next_cursor: string | null } =
        await history(resource, cursor === null ? { limit: 2 } : { limit: 2, cursor });
      seen.push(...page.events.map((event) => event.fencing_token));
      cursor = page.next_cursor;
    } while (cursor !== null && seen.length < 100);
    expect(seen).toEqual(tokens.reverse());
  });

  test('is narrowed by kind, actor, client and time', async () => {
    const resource = fresh();
    const lease = await api.grant(resource);
    const seen = { fencing_token: lease.fencing_token, reason: 'stuck' };
    await api.call('askRelease', { resource, body: seen });
    await api.call('forceRelease', { resource, body: seen });
    const kinds = async (query: Call['query']) =>
      (await api.call('lockEvents', { resource, query: query ?? {} }))
        .value()
        .events.map(({ kind }) => kind);
    expect(await kinds({ kind: 'operator' })).toEqual(['force_released', 'release_requested']);
    expect(await kinds({ kind: ['acquired', 'force_released'] })).toEqual([
      'force_released',
      'acquired',
    ]);
    expect(await kinds({ actor: 'env' })).toEqual(['force_released', 'release_requested']);
    expect(await kinds({ client: 'another' })).toEqual([]);
    expect(await kinds({ until: lease.acquired_at })).toEqual([]);
    expect(await kinds({ since: lease.acquired_at, kind: 'lease' })).toEqual(['acquired']);
  });

  test('a cursor belongs to its resource', async () => {
    const [one, other] = [fresh(), fresh()];
    for (const resource of [one, one, other, other]) await api.grant(resource);
    const { next_cursor } = await history(one, { limit: 1 });
    const query = { cursor: next_cursor ?? '' };
    const answer = await api.call('lockEvents', { resource: other, query });
    expect(outcomeOf(answer)).toBe('422 invalid-request');
    expect(refusedFields(answer)).toEqual(['cursor']);
  });

  test.each([
    [{ limit: 0 }, 'limit'],
    [{ limit: 501 }, 'limit'],
    [{ limit: 'x' }, 'limit'],
    [{ cursor: 'x' }, 'cursor'],
    [{ kind: 'nothing' }, 'kind.0'],
    [{ resource: 'job' }, 'resource'],
    [{ since: 'noon' }, 'since'],
  ])('refuses %o', async (query, field) => {
    const answer = await api.call('lockEvents', { resource: fresh(), query });
    expect(refusedFields(answer)).toEqual([field]);
  });
});
