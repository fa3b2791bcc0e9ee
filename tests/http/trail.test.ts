import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

import type { EventOnWire } from '@/lib/contract/answers';

import { createApi, outcomeOf, refusedFields, type Api, type Call } from '../support/api';
import { everywhere, fresh, untilExpired } from '../support/both-doors';
import { adminEnvironment, bearer, testAdmin } from '../support/callers';
import { signIn } from '../support/people';
import { createDatabase } from '../support/postgres-cluster';
import { startServer, type TestServer } from '../support/server';
import { poll } from '../support/waiting';

everywhere('the whole history', (api) => {
  const trail = async (query: NonNullable<Call['query']>) =>
    (await api.call('events', { query })).value();

  test('tells of all resources, newest first, under each filter', async () => {
    const prefix = fresh();
    const [one, two] = [`${prefix}/1`, `${prefix}/2`];
    const lease = await api.grant(one);
    await api.grant(two);
    const seen = { fencing_token: lease.fencing_token, reason: 'stuck' };
    await api.call('forceRelease', { resource: one, body: seen });
    const resource = `${prefix}/*`;
    const told = async (query: Call['query']) =>
      (await trail({ resource, ...query })).events.map((event) => [event.kind, event.resource]);
    expect(await told({})).toEqual([
      ['force_released', one],
      ['acquired', two],
      ['acquired', one],
    ]);
    expect(await told({ kind: ['acquired', 'held'] })).toEqual([
      ['acquired', two],
      ['acquired', one],
    ]);
    expect(await told({ kind: 'operator' })).toEqual([['force_released', one]]);
    expect(await told({ actor: 'env' })).toEqual([['force_released', one]]);
    expect(await told({ client: 'other' })).toEqual([]);
    expect(await told({ resource: two })).toEqual([['acquired', two]]);
    expect(await told({ until: lease.acquired_at })).toEqual([]);
    expect(await told({ since: '2999-01-01T00:00:00+09:00' })).toEqual([]);
    expect(await told({ since: lease.acquired_at })).toHaveLength(3);
  });

  test('pages through all of it once, by a cursor that is bound to the filters', async () => {
    const prefix = fresh();
    for (let count = 0; count < 5; count += 1) await api.grant(`${prefix}/${count}`);
    const resource = `${prefix}/*`;
    const seen: (string | null)[] = [];
    let cursor: string | null = null;
    do {
      const page: { events: EventOnWire[]; next_cursor: string | null } = await trail({
        resource,
        limit: 2,
        ...(cursor === null ? {} : { cursor }),
      });
      seen.push(...page.events.map((event) => event.resource));
      cursor = page.next_cursor;
    } while (cursor !== null && seen.length < 100);
    expect(seen).toEqual([4, 3, 2, 1, 0].map((count) => `${prefix}/${count}`));

    const { next_cursor } = await trail({ resource, limit: 2 });
    for (const query of [{ resource, kind: 'lease' }, { resource: `${prefix}*` }, {}]) {
      const answer = await api.call('events', {
        query: { ...query, limit: 2, cursor: next_cursor ?? '' },
      });
      expect(refusedFields(answer)).toEqual(['cursor']);
    }
  });

  test.each([
    [{ kind: 'nothing' }, 'kind.0'],
    [{ kind: ['acquired', 'Lease'] }, 'kind.1'],
    [{ actor: '' }, 'actor'],
    [{ resource: 'a*b' }, 'resource'],
    [{ resource: '' }, 'resource'],
    [{ since: '2026-05-01' }, 'since'],
    [{ since: '275760-09-13T00:00:00Z' }, 'since'],
    [{ until: 'now' }, 'until'],
    [{ since: '2026-05-01T00:00:00Z', until: '2026-05-01T00:00:00Z' }, 'until'],
    [{ actor: ['a', 'b'] }, 'actor'],
    [{ owner: 'a' }, 'owner'],
    [{ limit: 501 }, 'limit'],
    [{ cursor: 'x' }, 'cursor'],
  ])('refuses %o', async (query, field) => {
    expect(refusedFields(await api.call('events', { query }))).toEqual([field]);
  });

  test('a lease that runs out is told once, within seconds, by the service itself', async () => {
    const resource = fresh();
    const lease = await api.grant(resource, { ttlMs: 1_000 });
    await untilExpired(api, resource);
    const ended = await poll(
      async () => {
        const { events } = await trail({ resource, kind: 'expired' });
        return events[0] ?? null;
      },
      { withinMs: 20_000, describe: () => 'the end was not noted' },
    );
    expect(ended).toMatchObject({
      owner: lease.owner,
      fencing_token: lease.fencing_token,
      held_ms: 1_000,
      actor: null,
    });
    expect((await api.call('inspect', { resource, query: { include: 'expired' } })).status).toBe(
      200,
    );
  });
});

describe.each(['SQLite', 'PostgreSQL'])('who sees which events, on %s', (database) => {
  let server: TestServer;
  let admin: Api;
  beforeAll(async () => {
    const url =
      database === 'SQLite' ? {} : { DATABASE_URL: await createDatabase(inject('postgresUrl')) };
    server = await startServer({ environment: { ...adminEnvironment, ...url } });
    admin = createApi(server, await signIn(server));
  });
  afterAll(() => server.stop());

  async function keyFor(patterns: readonly string[]): Promise<Api> {
    const body = { name: fresh('key'), client: 'svc', scopes: ['acquire', 'read'], patterns };
    const { secret } = (await admin.call('createKey', { body })).value();
    return createApi(server, bearer(secret));
  }

  test('people see the events of keys and people, and keys never do', async () => {
    const everything = await keyFor(['*']);
    await everything.grant(fresh());
    const access = (await admin.call('events', { query: { kind: 'access' } })).value();
    const kinds = access.events.map(({ kind }) => kind);
    expect(kinds).toContain('key_created');
    expect(kinds).toContain('signed_in');
    expect(access.events.every(({ resource }) => resource === null)).toBe(true);
    const byAdmin = { query: { actor: testAdmin.email } };
    expect((await admin.call('events', byAdmin)).value().events).not.toEqual([]);

    const { events } = (await everything.call('events')).value();
    expect(events.length).toBeGreaterThan(0);
    expect(events.filter(({ resource }) => resource === null)).toEqual([]);
    expect((await everything.call('events', byAdmin)).value().events).toEqual([]);
    for (const kind of ['access', 'signed_in', ['acquired', 'key_created']]) {
      for (const name of ['events', 'exportEvents'] as const) {
        const answer = await everything.call(name, { query: { kind } });
        expect(outcomeOf(answer)).toBe('403 forbidden');
      }
    }
  });

  test('a key sees the events of what its patterns cover, on every page and in the table', async () => {
    const prefix = fresh();
    const everything = await keyFor(['*']);
    for (const resource of ['in/1', 'out/1', 'in/2', 'exact', 'exact/2']) {
      await everything.grant(`${prefix}/${resource}`);
    }
    const key = await keyFor([`${prefix}/in/*`, `${prefix}/exact`]);
    const first = (await key.call('events', { query: { limit: 2 } })).value();
    const query = { limit: 2, cursor: first.next_cursor ?? '' };
    const second = (await key.call('events', { query })).value();
    const seen = [...first.events, ...second.events].map(({ resource }) => resource);
    expect(seen).toEqual([`${prefix}/exact`, `${prefix}/in/2`, `${prefix}/in/1`]);
    expect(second.next_cursor).toBeNull();
    const outside = { query: { resource: `${prefix}/out/*` } };
    expect((await key.call('events', outside)).value().events).toEqual([]);
    for (const name of ['exportEvents', 'exportLocks'] as const) {
      const { body } = await key.call(name);
      expect(body).toContain(`${prefix}/in/1`);
      expect(body).not.toContain(`${prefix}/out/1`);
      expect(body).not.toContain(`${prefix}/exact/2`);
    }
  });
});
