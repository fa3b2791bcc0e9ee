import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

import type { EventHub } from '@/lib/events/event-hub';
import type { CallerSlots } from '@/lib/events/caller-slots';
import type { FeedPosition, FeedTally, GroupCarried } from '@/lib/locks/event-feed';
import { feedOrigin } from '@/lib/locks/event-feed';
import type { ListQuery, LockStore } from '@/lib/locks/lock-store';

import { CallMetrics } from './call-metrics';

export interface MetricsOptions {
  readonly store: LockStore;
  readonly hub: EventHub;
  readonly slots: CallerSlots;
  readonly build: { readonly version: string; readonly store: string };
}

/** What Prometheus reads. No label ever has a value that a caller could make up, such as a resource or an owner. */
export interface Metrics {
  /** One call of the API, by the name of its endpoint and a word for how it ended. */
  noteCall(verb: string, outcome: string, tookMs: number): void;
  noteStreamEnd(why: string): void;
  /** All of them, as text. What has to be asked of the store is left out while it does not answer. */
  scrape(): Promise<string>;
}

const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const sizeBuckets = [1, 2, 4, 8, 16, 32, 64, 128, 256];
/** However often it is scraped, the store is asked no more often than this. */
const askEveryMs = 2_000;
/** Events counted at one scrape; what is beyond is counted at the next. */
const tallyMax = 50_000;

export function createMetrics(options: MetricsOptions): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'holdfast_' });
  const calls = new CallMetrics();
  watchGroups(registry, options.store);
  const streamEnds = streamMetrics(registry, options);
  const ask = storeMetrics(registry, options.store);
  return {
    noteCall: (verb, outcome, tookMs) => calls.note(verb, outcome, tookMs),
    noteStreamEnd: (why) => streamEnds.inc({ why }),
    async scrape() {
      await ask();
      return `${await registry.metrics()}${calls.text()}`;
    },
  };
}

/** Once for each transaction, which carries many calls. */
function watchGroups(registry: Registry, store: LockStore): void {
  const shared = { labelNames: ['verb' as const], registers: [registry] };
  const size = new Histogram({
    name: 'holdfast_group_calls',
    help: 'How many calls rode in one transaction',
    buckets: sizeBuckets,
    ...shared,
  });
  const duration = new Histogram({
    name: 'holdfast_store_duration_seconds',
    help: 'How long transactions of the store took',
    buckets: secondsBuckets,
    ...shared,
  });
  const failures = new Counter({
    name: 'holdfast_store_failures_total',
    help: 'Transactions that failed; those that were busy are tried again',
    labelNames: ['verb', 'failure'],
    registers: [registry],
  });
  store.watch({
    onGroup({ verb, calls, tookMs, failure }: GroupCarried) {
      size.observe({ verb }, calls);
      duration.observe({ verb }, tookMs / 1000);
      if (failure !== null) failures.inc({ verb, failure });
    },
  });
}

function streamMetrics(registry: Registry, { slots, build }: MetricsOptions): Counter<'why'> {
  const open: Gauge = new Gauge({
    name: 'holdfast_streams_open',
    help: 'Event streams that are open',
    registers: [registry],
    collect: () => open.set(slots.open),
  });
  const info = new Gauge({
    name: 'holdfast_build_info',
    help: 'Always 1; the labels say what runs',
    labelNames: ['version', 'store', 'node'],
    registers: [registry],
  });
  info.set({ ...build, node: process.version }, 1);
  return new Counter({
    name: 'holdfast_streams_ended_total',
    help: 'Event streams that have ended, and why',
    labelNames: ['why'],
    registers: [registry],
  });
}

/** What only the store knows, asked when somebody scrapes. */
function storeMetrics(registry: Registry, store: LockStore): () => Promise<void> {
  const one = { registers: [registry] };
  const up = new Gauge({ name: 'holdfast_store_up', help: '1 if the store answers', ...one });
  const locks = new Gauge({
    name: 'holdfast_locks',
    help: 'Locks by state; expiring, silent and closed are among the active. Exact up to 10,000',
    labelNames: ['state'],
    ...one,
  });
  const capped = new Gauge({
    name: 'holdfast_locks_capped',
    help: '1 if there are more locks than are counted',
    ...one,
  });
  const lag = new Gauge({
    name: 'holdfast_event_lag_seconds',
    help: 'For how long the oldest event has been kept from being told by an open transaction',
    ...one,
  });
  const events = new Counter({
    name: 'holdfast_events_total',
    help: 'Events of all instances since the first scrape of this one, by kind',
    labelNames: ['kind'],
    ...one,
  });
  let place: FeedPosition | null = null;
  async function ask(): Promise<void> {
    try {
      place ??= await endOf(store);
      const [list, tally] = await Promise.all([
        store.list(countsOnly),
        store.tally({ after: place, limit: tallyMax }),
      ]);
      const { counts } = list.outcome;
      for (const state of countedStates) locks.set({ state }, counts[state]);
      capped.set(list.outcome.areCountsCapped ? 1 : 0);
      place = noteTally(tally, events, lag);
      up.set(1);
    } catch {
      up.set(0);
      locks.reset();
    }
  }
  return sharedFor(askEveryMs, ask);
}

function noteTally(tally: FeedTally, events: Counter<'kind'>, lag: Gauge): FeedPosition {
  for (const [kind, count] of Object.entries(tally.counts)) events.inc({ kind }, count);
  lag.set(tally.lagMs / 1000);
  return tally.end;
}

async function endOf(store: LockStore): Promise<FeedPosition> {
  const { events } = await store.feed({ after: null, limit: 1 });
  return events[0]?.position ?? feedOrigin;
}

const countedStates = ['active', 'expired', 'expiring', 'silent', 'closed'] as const;

const countsOnly: ListQuery = {
  state: 'active',
  condition: null,
  filter: {
    text: null,
    resourcePrefix: null,
    owner: null,
    ownerPrefix: null,
    client: null,
    fencingToken: null,
    visible: null,
    askedMin: null,
  },
  sortField: 'expires_at',
  isDescending: false,
  limit: 1,
  after: null,
};

/** Whoever asks within so long of the last time gets what came then, or what is under way. */
function sharedFor(ms: number, work: () => Promise<void>): () => Promise<void> {
  let last: Promise<void> | null = null;
  let askedAtMs = -Infinity;
  return () => {
    const nowMs = performance.now();
    if (last === null || nowMs - askedAtMs >= ms) {
      askedAtMs = nowMs;
      last = work();
    }
    return last;
  };
}
