import { expect, test } from 'vitest';

import type { Api } from '../support/api';
import { createApi, outcomeOf } from '../support/api';
import { everywhere, fresh } from '../support/both-doors';
import { adminEnvironment, bearer, testKey } from '../support/callers';
import { dataOf, openReader, type EventReader, type Message } from '../support/event-reader';
import { addMember, signIn } from '../support/people';

const path = '/api/events/stream';

everywhere(
  'the live stream',
  (api, server) => {
    const openWith = (query = '', headers: Record<string, string> = bearer(testKey)) =>
      openReader(server.url, `${path}${query}`, headers);
    const about = (resource: string, kind?: string) => (message: Message) =>
      message.event !== 'reset' &&
      dataOf(message).resource === resource &&
      (kind === undefined || message.event === kind);

    test('tells a change as the history does, with an id and a hint to come back', async () => {
      const resource = fresh('a b/ü"\\');
      const reader = await openWith();
      expect(reader.status).toBe(200);
      expect(reader.headers).toMatchObject({
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      });
      await api.grant(resource);
      const message = await reader.find(about(resource));
      expect(message).toMatchObject({ event: 'acquired', hasId: true });
      const { events } = (await api.call('lockEvents', { resource })).value();
      expect(dataOf(message)).toEqual(events[0]);
      expect(reader.retryMs()).toBeGreaterThan(0);
      reader.close();
    });

    test('resumes by header or by query without a gap or a double, and the header counts first', async () => {
      const reader = await openWith();
      const first = fresh();
      await api.grant(first);
      const { lastId } = await reader.find(about(first));
      reader.close();
      const missed = [fresh(), fresh(), fresh()];
      for (const resource of missed) await api.grant(resource);
      const readers = [
        await openWith(`?last_event_id=${lastId}`),
        await openWith('', { ...bearer(testKey), 'last-event-id': lastId }),
        await openWith('?last_event_id=1-1', { ...bearer(testKey), 'last-event-id': lastId }),
      ];
      for (const again of readers) {
        await again.find(about(missed[2] ?? ''));
        const seen = again.messages.map((message) => dataOf(message).resource);
        expect(seen.filter((name) => name === first || missed.includes(name ?? ''))).toEqual(
          missed,
        );
        again.close();
      }
    });

    test('a reader that was cut off before its first event misses nothing', async () => {
      const reader = await openWith('?kind=member_removed');
      await expect.poll(() => reader.lastId(), { timeout: 10_000 }).not.toBe('');
      const place = reader.lastId();
      reader.close();
      const resource = fresh();
      await api.grant(resource);
      const again = await openWith(`?last_event_id=${place}`);
      await again.find(about(resource));
      again.close();
    });

    test.each(['0-999999999999', '99999999999-1', 'nonsense'])(
      'a place that is not known (%s) is told as a reset, then come the newest and what happens next',
      async (place) => {
        const before = fresh();
        await api.grant(before);
        const reader = await openWith('', { ...bearer(testKey), 'last-event-id': place });
        const reset = await reader.find(({ event }) => event === 'reset');
        expect(reset.hasId).toBe(false);
        await reader.find(about(before));
        const next = fresh();
        await api.grant(next);
        await reader.find(about(next));
        expect(reader.messages.filter(({ event }) => event === 'reset')).toHaveLength(1);
        expect(reader.messages[0]).toEqual(reset);
        reader.close();
      },
    );

    test('a renewal is told as a passing message without an id', async () => {
      const resource = fresh();
      const lock = await api.grant(resource);
      const reader = await openWith(`?resource=${resource}`);
      const body = { owner: 'owner', ttl_ms: 90_000 };
      await api.call('renew', { resource, body });
      const message = await reader.find(({ event }) => event === 'renewed');
      expect(message.hasId).toBe(false);
      expect(dataOf(message)).toMatchObject({
        id: null,
        kind: 'renewed',
        resource,
        fencing_token: lock.fencing_token,
      });
      reader.close();
    });

    test('filters by kind, resource, client and actor', async () => {
      const name = fresh('group');
      const readers = {
        kind: await openWith(`?kind=released&kind=operator`),
        exact: await openWith(`?resource=${name}/a`),
        prefix: await openWith(`?resource=${name}/*`),
        client: await openWith(`?client=nobody`),
        actor: await openWith(`?actor=env`),
        all: await openWith(),
      };
      const lock = await api.grant(`${name}/a`);
      await api.grant(`${name}/b`);
      await api.call('release', { resource: `${name}/b`, query: { owner: 'owner' } });
      const { fencing_token } = lock;
      await api.call('forceRelease', {
        resource: `${name}/a`,
        body: { reason: 'for the test', fencing_token },
      });
      await api.grant(`${name}/a`);
      await Promise.all(
        [readers.all, readers.exact, readers.prefix].map((reader) =>
          reader.find(
            (message) =>
              reader.messages.filter(about(`${name}/a`)).length === 3 &&
              about(`${name}/a`)(message),
          ),
        ),
      );
      await readers.kind.find(about(`${name}/a`));
      await readers.actor.find(about(`${name}/a`));
      const seenBy = (reader: EventReader) =>
        reader.messages
          .map((message) => dataOf(message))
          .filter(({ resource }) => resource?.startsWith(name))
          .map(({ kind, resource }) => `${kind} ${resource?.slice(name.length) ?? ''}`);
      const all = ['acquired /a', 'acquired /b', 'released /b', 'force_released /a', 'acquired /a'];
      expect(seenBy(readers.all)).toEqual(all);
      expect(seenBy(readers.prefix)).toEqual(all);
      expect(seenBy(readers.exact)).toEqual(['acquired /a', 'force_released /a', 'acquired /a']);
      expect(seenBy(readers.kind)).toEqual(['released /b', 'force_released /a']);
      expect(seenBy(readers.actor)).toEqual(['force_released /a']);
      expect(seenBy(readers.client)).toEqual([]);
      for (const reader of Object.values(readers)) reader.close();
    });

    test.each([
      ['kind=opened', 'kind.0'],
      ['kind=', 'kind.0'],
      ['resource=', 'resource'],
      ['resource=a&resource=b', 'resource'],
      ['last_event_id=12', 'last_event_id'],
      ['last_event_id=1-99999999999999999', 'last_event_id'],
      ['limit=3', 'limit'],
    ])('refuses ?%s', async (query, field) => {
      const parameters = Object.fromEntries(new URLSearchParams(query));
      const answer =
        query === 'resource=a&resource=b'
          ? await api.raw({ method: 'GET', path: `${path}?${query}` })
          : await api.call('streamEvents', { query: parameters });
      expect(answer.status).toBe(422);
      expect(answer.body).toContain(`"field":"${field.replace('.0', '')}`);
    });

    test('HEAD opens no stream', async () => {
      const answer = await api.raw({ method: 'HEAD', path });
      expect(answer.status).toBe(200);
      expect(answer.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    });

    describeRights(server, openWith);

    test('each caller has so many streams and no more, and gets them back', async () => {
      const admin = createApi(server, await signIn(server));
      const { secret } = await newKey(admin, ['*']);
      const open = await Promise.all(Array.from({ length: 8 }, () => openWith('', bearer(secret))));
      expect(open.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
      const one = createApi(server, bearer(secret));
      const refused = await one.call('streamEvents');
      expect(outcomeOf(refused)).toBe('429 too-many-requests');
      open[0]?.close();
      await expect
        .poll(async () => (await one.call('streamEvents')).status, { timeout: 10_000 })
        .toBe(200);
      for (const reader of open) reader.close();
    });
  },
  { ...adminEnvironment, HOLDFAST_STREAMS_PER_CALLER: '8' },
);

async function newKey(admin: Api, patterns: readonly string[]) {
  const body = { name: fresh('key'), client: 'svc', scopes: ['read', 'acquire'], patterns };
  return (await admin.call('createKey', { body })).value();
}

type OpenWith = (query?: string, headers?: Record<string, string>) => Promise<EventReader>;

/** Who sees what, and for how long. */
function describeRights(server: { readonly url: string }, openWith: OpenWith): void {
  test('a key sees what its patterns cover, and nothing of access; people see both', async () => {
    const session = await signIn(server);
    const admin = createApi(server, session);
    const name = fresh();
    const { secret } = await newKey(admin, [`${name}/in/*`]);
    const everything = await newKey(admin, ['*']);
    const byKey = await openWith('', bearer(secret));
    const byStar = await openWith('', bearer(everything.secret));
    const byPerson = await openWith('', session);
    const made = await newKey(admin, ['*']);
    const other = createApi(server);
    await other.grant(`${name}/out/a`);
    await other.grant(`${name}/in/a`);
    const isLast = (message: Message) => dataOf(message).resource === `${name}/in/a`;
    for (const reader of [byKey, byStar, byPerson]) await reader.find(isLast);
    const seenBy = (reader: EventReader) =>
      reader.messages.map((message) => dataOf(message)).filter(({ kind }) => kind !== 'renewed');
    expect(seenBy(byKey).map(({ resource }) => resource)).toEqual([`${name}/in/a`]);
    expect(seenBy(byStar).filter(({ resource }) => resource === null)).toEqual([]);
    expect(seenBy(byPerson)).toContainEqual(
      expect.objectContaining({ kind: 'key_created', resource: null, subject: made.key.name }),
    );
    for (const reader of [byKey, byStar, byPerson]) reader.close();
  });

  test('a stream ends within 5 s of its key being revoked', async () => {
    const admin = createApi(server, await signIn(server));
    const { key, secret } = await newKey(admin, ['*']);
    const [reader, other] = [await openWith('', bearer(secret)), await openWith()];
    const resource = fresh();
    await createApi(server).grant(resource);
    await reader.find((message) => dataOf(message).resource === resource);
    await admin.call('revokeKey', { id: key.id });
    await reader.untilOver(5_000);
    expect(other.isOver()).toBe(false);
    other.close();
  });

  test.each(['their session', 'their membership'])(
    'a stream of a person ends within 5 s of the end of %s',
    async (what) => {
      const admin = createApi(server, await signIn(server));
      const email = `${fresh('m')}@example.com`;
      const member = await addMember(server, admin, { email, role: 'viewer' });
      const reader = await openWith('', member.headers);
      expect(reader.status).toBe(200);
      if (what === 'their session') {
        await member.api.raw({ method: 'POST', path: '/api/auth/sign-out' });
      } else {
        await admin.call('removeMember', { id: member.id });
      }
      await reader.untilOver(5_000);
    },
  );
}
