import { expect } from 'vitest';

import type { LockEvent } from '@/lib/locks/events';
import type { EventsFilter, EventsPage, EventsPosition, EventsQuery } from '@/lib/locks/trail';

import { defaultTtlMs, fresh, type Driver } from '../drive';
import { guarantee } from '../store-under-test';

/** The whole history under filters, newest first. */
export const trailGuarantees = [
  guarantee('the trail comes newest first, over all resources, by time', async (at) => {
    const [one, two] = [fresh(), fresh()];
    const client = fresh('client');
    for (const resource of [one, two, one]) {
      await at.grant({ resource, owner: 'a', client });
      await at.clock.advance(10);
    }
    const { events } = await at.trail({ client });
    expect(events.map(({ resource }) => resource)).toEqual([one, two, one]);
    const times = events.map(({ atMs }) => atMs);
    expect(times).toEqual([...times].sort((a, b) => b - a));
  }),

  guarantee(
    'a clock that was set back puts the later event where its time is, and the history of a resource keeps its order',
    async (at) => {
      const [resource, client] = [fresh(), fresh('client')];
      await at.clock.advance(5_000);
      const first = await at.grant({ resource, owner: 'a', client });
      await at.clock.advance(-3_000);
      const second = await at.grant({ resource, owner: 'a', client });
      await at.clock.advance(1_000);
      const third = await at.grant({ resource, owner: 'a', client });
      const byTime = [first, third, second].map(tokenOf);
      expect(tokens(await at.trail({ client }))).toEqual(byTime);
      const paged = await allPages(at, { client }, { limit: 1 });
      expect(paged.map(tokenOf)).toEqual(byTime);
      const exact = { resource: { kind: 'exact', name: resource } } as const;
      expect(tokens(await at.trail(exact))).toEqual([third, second, first].map(tokenOf));
    },
  ),

  guarantee('the trail is narrowed by kind, one or several', async (at) => {
    const prefix = fresh();
    await everyKind(at, prefix);
    const within = { resource: { kind: 'prefix', prefix } } as const;
    const seen = async (kinds: EventsFilter['kinds']) =>
      kindsOf(await at.trail({ ...within, kinds }));
    expect(await seen(['held'])).toEqual(['held']);
    expect(await seen(['released', 'force_released', 'held'])).toEqual([
      'held',
      'force_released',
      'released',
    ]);
    expect(await seen(['acquired', 'released'])).toEqual(['acquired', 'released', 'acquired']);
    expect(await seen(['renewed'])).toEqual([]);
    expect(await seen([])).toEqual([]);
  }),

  guarantee('the trail is narrowed by actor and by client, compared bytewise', async (at) => {
    const actor = fresh('Ann_%');
    const client = fresh('Svc_%');
    for (const other of [actor.toLowerCase(), `${actor}x`, actor.replace('_', 'x'), actor]) {
      await at.putHold({ resource: fresh(), actor: other });
    }
    for (const other of [client.toLowerCase(), `${client}x`, client.replace('%', 'y'), client]) {
      await at.grant({ resource: fresh(), owner: 'a', client: other });
    }
    expect((await at.trail({ actor })).events.map((event) => event.actor)).toEqual([actor]);
    expect((await at.trail({ client })).events.map((event) => event.client)).toEqual([client]);
    expect((await at.trail({ actor, client })).events).toEqual([]);
  }),

  guarantee('the trail is narrowed to a prefix of names, compared bytewise', async (at) => {
    const prefix = fresh('Pre_%');
    for (const resource of [
      `${prefix}/a`,
      prefix,
      prefix.toLowerCase(),
      prefix.replace('_', 'x'),
      `${prefix}💾`,
    ]) {
      await at.grant({ resource, owner: 'a' });
    }
    const { events } = await at.trail({ resource: { kind: 'prefix', prefix } });
    expect(events.map(({ resource }) => resource)).toEqual([`${prefix}💾`, prefix, `${prefix}/a`]);
  }),

  guarantee('the trail begins with one moment and ends before another', async (at) => {
    const [resource, client] = [fresh(), fresh('client')];
    const startMs = await at.now();
    const leases = [];
    for (let step = 0; step < 4; step += 1) {
      leases.push(await at.grant({ resource, owner: 'a', client }));
      await at.clock.advance(100);
    }
    const range = { sinceMs: startMs + 100, untilMs: startMs + 300 };
    const wanted = [leases[2], leases[1]].map((lease) => lease?.fencingToken);
    for (const filter of [
      { client },
      { client, kinds: ['acquired', 'reacquired'] as const },
      { client, resource: { kind: 'exact', name: resource } as const },
      { client, resource: { kind: 'prefix', prefix: resource } as const },
    ]) {
      expect(tokens(await at.trail({ ...filter, ...range }))).toEqual(wanted);
    }
    expect(tokens(await at.trail({ client, sinceMs: startMs + 300 }))).toEqual([
      leases[3]?.fencingToken,
    ]);
    expect(tokens(await at.trail({ client, untilMs: startMs + 1 }))).toEqual([
      leases[0]?.fencingToken,
    ]);
  }),

  guarantee('who sees some resources sees their events alone, and none of access', async (at) => {
    const prefix = fresh();
    const actor = fresh('ann');
    await everyKind(at, prefix);
    await at.grant({ resource: `${prefix}/far`, owner: 'a' });
    await at.noteAccess('key_created', actor);
    const visible = [
      { kind: 'exact', name: `${prefix}/1` },
      { kind: 'prefix', prefix: `${prefix}/3` },
    ] as const;
    const within = { resource: { kind: 'prefix', prefix } } as const;
    const { events } = await at.trail({ ...within, visible });
    expect(new Set(events.map(({ resource }) => resource))).toEqual(
      new Set([`${prefix}/1`, `${prefix}/3`]),
    );
    const far = { kind: 'exact', name: `${prefix}/far` } as const;
    expect((await at.trail({ resource: far })).events).toHaveLength(1);
    expect((await at.trail({ resource: far, visible })).events).toEqual([]);
    expect((await at.trail({ actor })).events).toHaveLength(1);
    const everyName = [{ kind: 'prefix', prefix: '' }] as const;
    expect((await at.trail({ actor, visible: everyName })).events).toEqual([]);
    expect((await at.trail({ visible: [] })).events).toEqual([]);
  }),

  guarantee('events of keys and people are in the trail, with no resource', async (at) => {
    const actor = fresh('ann');
    await at.noteAccess('signed_in', actor);
    await at.noteAccess('key_created', actor);
    const { events } = await at.trail({ actor, kinds: ['signed_in', 'key_created'] });
    expect(events).toMatchObject([
      { kind: 'key_created', resource: null, owner: null, actor, subject: 'subject' },
      { kind: 'signed_in', resource: null },
    ]);
  }),

  guarantee('the pages of a trail neither repeat nor skip while it grows', async (at) => {
    const client = fresh('client');
    const grow = () => at.grant({ resource: fresh(), owner: 'a', client });
    for (let count = 0; count < 12; count += 1) {
      await grow();
      if (count % 3 === 0) await at.clock.advance(1);
    }
    for (const filter of [{ client }, { client, kinds: ['acquired', 'claimed'] as const }]) {
      const whole = ids(await at.trail(filter, { limit: 500 }));
      const paged = await allPages(at, filter, { limit: 5 }, grow);
      expect(paged.map(({ id }) => id)).toEqual(whole);
    }
  }),

  guarantee('several kinds are paged as one trail', async (at) => {
    const since = { sinceMs: await at.now() };
    const client = fresh('client');
    for (let count = 0; count < 6; count += 1) {
      const lease = await at.grant({ resource: fresh(), owner: 'a', client });
      await at.clock.advance(1);
      if (count % 2 === 0) await at.release(lease, { client });
      else await at.forceRelease(lease);
    }
    const kinds = ['released', 'force_released'] as const;
    const own = (events: readonly LockEvent[]) =>
      events.filter((event) => event.client === client).map(({ id }) => id);
    const whole = await allPages(at, { ...since, kinds }, { limit: 500 });
    const paged = await allPages(at, { ...since, kinds }, { limit: 2 });
    expect(own(whole)).toHaveLength(6);
    expect(own(paged)).toEqual(own(whole));
  }),

  guarantee('a page looks at so many events and no more, and the next goes on', async (at) => {
    const [client, prefix] = [fresh('client'), fresh('wanted')];
    const wanted = [];
    for (let count = 0; count < 20; count += 1) {
      const resource = count % 7 === 0 ? `${prefix}/${String(count)}` : fresh();
      const lease = await at.grant({ resource, owner: 'a', client });
      await at.clock.advance(1);
      if (count % 7 === 0) wanted.push(lease.fencingToken);
      if (count % 7 === 0) await at.forceRelease(lease);
    }
    const filter = { client, kinds: ['acquired'], resource: { kind: 'prefix', prefix } } as const;
    for (const walkMax of [1, 3, 100]) {
      const paged = await allPages(at, filter, { limit: 2, walkMax });
      expect(paged.map(({ fencingToken }) => fencingToken)).toEqual([...wanted].reverse());
    }
    // One kind is found at once, the other takes many looks: what is older than these must wait.
    const kinds = ['acquired', 'force_released'] as const;
    const paged = await allPages(at, { ...filter, client: null, kinds }, { limit: 2, walkMax: 3 });
    expect(paged.map((event) => `${event.kind} ${String(event.fencingToken)}`)).toEqual(
      [...wanted]
        .reverse()
        .flatMap((token) => [`force_released ${String(token)}`, `acquired ${String(token)}`]),
    );
  }),

  guarantee('the last page of a trail says so, also when it is full', async (at) => {
    const client = fresh('client');
    for (let count = 0; count < 4; count += 1) {
      await at.grant({ resource: fresh(), owner: 'a', client });
    }
    const full = await at.trail({ client }, { limit: 4 });
    expect(full.events).toHaveLength(4);
    expect(full.next).toBeNull();
    const first = await at.trail({ client }, { limit: 3 });
    const last = first.events[2];
    expect(first.next).toEqual({ atMs: last?.atMs, id: last?.id });
  }),
];

/** Under a prefix, at one moment each: acquired, released, acquired, force_released, held. */
async function everyKind(at: Driver, prefix: string): Promise<void> {
  const lease = await at.grant({ resource: `${prefix}/1`, owner: 'a', ttlMs: defaultTtlMs });
  await at.clock.advance(1);
  await at.release(lease);
  await at.clock.advance(1);
  const second = await at.grant({ resource: `${prefix}/2`, owner: 'a' });
  await at.clock.advance(1);
  await at.forceRelease(second);
  await at.clock.advance(1);
  await at.putHold({ resource: `${prefix}/3` });
}

async function allPages(
  at: Driver,
  filter: Partial<EventsFilter>,
  more: Partial<EventsQuery>,
  between: () => Promise<unknown> = () => Promise.resolve(),
): Promise<readonly LockEvent[]> {
  const events: LockEvent[] = [];
  let after: EventsPosition | null = null;
  for (let pages = 0; pages < 10_000; pages += 1) {
    const page: EventsPage = await at.trail(filter, { ...more, after });
    expect(page.events.length).toBeLessThanOrEqual(more.limit ?? 100);
    events.push(...page.events);
    after = page.next;
    if (after === null) return events;
    await between();
  }
  throw new Error('The trail has no end');
}

function kindsOf({ events }: EventsPage): readonly string[] {
  return events.map(({ kind }) => kind);
}

function tokens({ events }: EventsPage): readonly (number | null)[] {
  return events.map(tokenOf);
}

function tokenOf({ fencingToken }: { readonly fencingToken: number | null }): number | null {
  return fencingToken;
}

function ids({ events }: EventsPage): readonly string[] {
  return events.map(({ id }) => id);
}
