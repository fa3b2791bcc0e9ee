import { randomUUID } from 'node:crypto';

import type { LockEvent } from '@/lib/locks/events';
import type { Lease } from '@/lib/locks/lease';
import { limits } from '@/lib/locks/limits';
import type {
  AcquireCall,
  AcquireOutcome,
  AskReleaseCall,
  AskReleaseOutcome,
  ForceReleaseCall,
  ForceReleaseOutcome,
  HoldCall,
  HoldOutcome,
  ListFilter,
  ListPage,
  ListQuery,
  ReleaseCall,
  ReleaseOutcome,
  RenewCall,
  RenewOutcome,
  SeenLease,
} from '@/lib/locks/lock-store';
import type { EventsFilter, EventsPage, EventsPosition, EventsQuery } from '@/lib/locks/trail';

import type { StoreUnderTest } from './store-under-test';

/** Calls of a store with what most tests don't care about filled in, answering with the outcome alone. */
export interface Driver extends StoreUnderTest {
  acquire(call: Wanted<AcquireCall, 'resource' | 'owner'>): Promise<AcquireOutcome>;
  /** Acquires, and fails the test if that is denied. */
  grant(call: Wanted<AcquireCall, 'resource' | 'owner'>): Promise<Lease>;
  renew(lease: Held, more?: Partial<RenewCall>): Promise<RenewOutcome>;
  release(lease: Held, more?: Partial<ReleaseCall>): Promise<ReleaseOutcome>;
  inspect(resource: string): Promise<SeenLease | null>;
  /** Ends the lease that is given, by its token, with a reason. */
  forceRelease(lease: Seen, more?: Partial<ForceReleaseCall>): Promise<ForceReleaseOutcome>;
  hold(call: Wanted<HoldCall, 'resource'>): Promise<HoldOutcome>;
  /** Holds, and fails the test if that is refused. */
  putHold(call: Wanted<HoldCall, 'resource'>): Promise<Lease>;
  askRelease(lease: Seen, more?: Partial<AskReleaseCall>): Promise<AskReleaseOutcome>;
  list(query: ListWanted): Promise<ListPage>;
  /** One page of the history, under these filters. */
  trail(filter: Partial<EventsFilter>, more?: Partial<EventsQuery>): Promise<EventsPage>;
  /** The resource's whole history, oldest first. */
  history(resource: string): Promise<readonly LockEvent[]>;
  now(): Promise<number>;
}

type Wanted<Call, Required extends keyof Call> = Pick<Call, Required> & Partial<Call>;
type Held = Pick<Lease, 'resource' | 'owner'> & { readonly client?: string | null };
type Seen = Pick<Lease, 'resource' | 'fencingToken'>;
type ListWanted = Partial<Omit<ListQuery, 'filter'>> & { readonly filter: Partial<ListFilter> };

export const defaultClient = 'billing';
export const defaultTtlMs = 10_000;
export const defaultActor = 'ann';
export const defaultReason = 'stuck since noon';

/** A name that no other test has used, also on a store that outlives the run. */
export function fresh(word = 'job'): string {
  return `${word}-${randomUUID()}`;
}

export function drive(subject: StoreUnderTest): Driver {
  return { ...subject, ...leaseCalls(subject), ...operatorCalls(subject), ...readCalls(subject) };
}

function leaseCalls({ store }: StoreUnderTest) {
  const byDefault = { client: defaultClient, ttlMs: defaultTtlMs, requestId: null };

  async function acquire(call: Wanted<AcquireCall, 'resource' | 'owner'>): Promise<AcquireOutcome> {
    return (await store.acquire({ ...byDefault, metadata: null, ...call })).outcome;
  }
  const held = ({ resource, owner, client = defaultClient }: Held) => ({ resource, owner, client });

  return {
    acquire,
    async grant(call: Wanted<AcquireCall, 'resource' | 'owner'>) {
      const outcome = await acquire(call);
      if (outcome.kind === 'granted') return outcome.lease;
      throw new Error(`${call.resource} is held by ${outcome.holder.owner}`);
    },
    async renew(lease: Held, more: Partial<RenewCall> = {}) {
      const call = { ...byDefault, ...held(lease), fencingToken: null, ...more };
      return (await store.renew(call)).outcome;
    },
    async release(lease: Held, more: Partial<ReleaseCall> = {}) {
      const call = { ...held(lease), fencingToken: null, requestId: null, ...more };
      return (await store.release(call)).outcome;
    },
  };
}

function operatorCalls({ store }: StoreUnderTest) {
  const byDefault = { actor: defaultActor, reason: defaultReason, requestId: null };
  const seen = ({ resource, fencingToken }: Seen) => ({ resource, fencingToken });

  async function hold(call: Wanted<HoldCall, 'resource'>): Promise<HoldOutcome> {
    const asked = { ...byDefault, ttlMs: defaultTtlMs, fencingToken: null, ...call };
    return (await store.hold(asked)).outcome;
  }

  return {
    async forceRelease(lease: Seen, more: Partial<ForceReleaseCall> = {}) {
      const call = { ...byDefault, ...seen(lease), holdMs: 0, onlyExpired: false, ...more };
      const [outcome] = (await store.forceRelease([call])).outcome;
      if (outcome === undefined) throw new Error('A force-release got no outcome');
      return outcome;
    },
    hold,
    async putHold(call: Wanted<HoldCall, 'resource'>) {
      const outcome = await hold(call);
      if (outcome.kind === 'held') return outcome.lease;
      throw new Error(`${call.resource} is held by ${outcome.lease.owner}`);
    },
    async askRelease(lease: Seen, more: Partial<AskReleaseCall> = {}) {
      return (await store.askRelease({ ...byDefault, ...seen(lease), ...more })).outcome;
    },
  };
}

const noFilter: ListFilter = {
  text: null,
  resourcePrefix: null,
  owner: null,
  ownerPrefix: null,
  client: null,
  fencingToken: null,
  visible: null,
  askedMin: null,
};

const noEventsFilter: EventsFilter = {
  kinds: null,
  actor: null,
  client: null,
  resource: null,
  sinceMs: null,
  untilMs: null,
  visible: null,
};

export function trailOf(
  filter: Partial<EventsFilter>,
  more: Partial<EventsQuery> = {},
): EventsQuery {
  const query = { limit: 100, after: null, walkMax: limits.eventsWalkMax, ...more };
  return { ...query, filter: { ...noEventsFilter, ...filter } };
}

/** The history of one resource by its exact name. */
export function historyOf(resource: string, more: Partial<EventsQuery> = {}): EventsQuery {
  return trailOf({ resource: { kind: 'exact', name: resource } }, more);
}

function readCalls({ store, clock }: StoreUnderTest) {
  return {
    async inspect(resource: string) {
      return (await store.inspect(resource)).outcome;
    },
    async list({ filter, ...query }: ListWanted) {
      const asked: ListQuery = {
        state: 'active',
        condition: null,
        sortField: 'expires_at',
        isDescending: false,
        limit: 100,
        after: null,
        ...query,
        filter: { ...noFilter, ...filter },
      };
      return (await store.list(asked)).outcome;
    },
    trail: (filter: Partial<EventsFilter>, more: Partial<EventsQuery> = {}) =>
      store.events(trailOf(filter, more)),
    async history(resource: string) {
      const events: LockEvent[] = [];
      let after: EventsPosition | null = null;
      do {
        const page = await store.events(historyOf(resource, { limit: 500, after }));
        events.push(...page.events);
        after = page.next;
      } while (after !== null);
      return events.reverse();
    },
    async now() {
      return clock.now();
    },
  };
}
