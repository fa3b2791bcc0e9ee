import { setImmediate as turn } from 'node:timers/promises';

import { stateAt, type Lease } from '@/lib/locks/lease';
import type { AcquireCall, LockStore } from '@/lib/locks/lock-store';

import type { MemoryParts } from '../memory-under-test';
import type { BrokenStore } from './broken-store';

/** Faults in how leases are granted, kept and given back. */
export const leaseFaults: readonly BrokenStore[] = [
  {
    name: 'releases by the name of the resource alone',
    vary: ({ store, tables }) => ({
      ...store,
      release: (call) => {
        const lease = tables.leases.get(call.resource);
        return store.release(lease === undefined ? call : { ...call, ...ownerOf(lease) });
      },
    }),
    caughtBy: [
      'a late release does not free the lock of whoever claimed it',
      'a release of what another owner holds is refused',
      'a second release is not found, and frees nothing',
    ],
  },
  {
    name: 'renews by inserting what is not there',
    vary: ({ store, tables }) => ({
      ...store,
      renew: async (call) => {
        const isMissing = !tables.leases.has(call.resource);
        if (isMissing) await store.acquire({ ...call, metadata: null });
        return isMissing ? store.renew({ ...call, fencingToken: null }) : store.renew(call);
      },
    }),
    caughtBy: [
      'a renew where there is no lock is not found and creates none',
      'a renew of a lease that a person ended says by whom, why and when',
      'renewals that meet the release neither bring the lock back nor fail it',
    ],
  },
  {
    name: 'renews an expired lease that nobody claimed',
    vary: ({ store, tables, clock }) => ({
      ...store,
      renew: (call) => {
        const lease = tables.leases.get(call.resource);
        if (lease !== undefined && stateAt(lease, clock()) === 'expired') {
          tables.leases.set(call.resource, { ...lease, expiresAtMs: clock() + 1 });
        }
        return store.renew(call);
      },
    }),
    caughtBy: [
      'a lease that expired cannot be renewed, though nobody else wants it',
      'at exactly its expiry a lease cannot be renewed or released',
    ],
  },
  {
    name: 'takes the last millisecond of a lease for a live one',
    vary: (parts) => lastMillisecondCounts(parts),
    caughtBy: [
      'at exactly its expiry a lease cannot be renewed or released',
      'at exactly its expiry a lock can be claimed',
      'at exactly its expiry a lease is over for operators too',
      'at exactly its expiry a lease is listed and counted as expired',
    ],
  },
  {
    name: 'judges expiry by a clock of its own, three minutes fast',
    vary: ({ store, tables, clock }) => ({
      ...store,
      acquire: (call) => {
        const lease = tables.leases.get(call.resource);
        if (lease !== undefined && lease.expiresAtMs <= clock() + 180_000) {
          tables.leases.set(call.resource, { ...lease, expiresAtMs: clock() });
        }
        return store.acquire(call);
      },
    }),
    caughtBy: [
      'a denied acquire shows the holder and writes nothing',
      'one millisecond before its expiry a lease is held',
    ],
  },
  {
    name: 'sets the tokens back when a lock is released',
    vary: ({ store, tables }) => ({
      ...store,
      release: async (call) => {
        const dated = await store.release(call);
        if (dated.outcome.kind === 'released') tables.fencingToken = 0;
        return dated;
      },
    }),
    caughtBy: [
      'a release never sets the tokens back',
      'whatever ends a lease, the next one has a larger token',
    ],
  },
  {
    name: 'claims an expired lock without a new token',
    vary: ({ store, tables }) => ({
      ...store,
      acquire: async (call) => {
        const before = tables.leases.get(call.resource);
        const dated = await store.acquire(call);
        if (before === undefined || dated.outcome.kind === 'held') return dated;
        const lease = { ...dated.outcome.lease, fencingToken: before.fencingToken };
        tables.leases.set(call.resource, lease);
        return { ...dated, outcome: { kind: 'granted', lease } };
      },
    }),
    caughtBy: [
      'an expired lock is claimed in place: the row stays, the token grows',
      'a claim of an expired lock takes a larger token',
      'acquiring what one still holds grants it anew: same row, times afresh, a larger token',
    ],
  },
  {
    name: 'keeps a token as a signed 32-bit number',
    vary: ({ store, tables }) => ({
      ...store,
      acquire: (call) => {
        tables.fencingToken |= 0;
        return store.acquire(call);
      },
    }),
    caughtBy: [
      'tokens go on beyond 2^31 and 2^32',
      'tokens are exact up to the largest integer that JSON carries',
    ],
  },
  {
    name: 'pays no attention to the client',
    vary: ({ store, tables }) => ({
      ...store,
      acquire: (call) => store.acquire({ ...call, client: clientThere(tables, call) }),
      renew: (call) => store.renew({ ...call, client: clientThere(tables, call) }),
      release: (call) => store.release({ ...call, client: clientThere(tables, call) }),
    }),
    caughtBy: ['the right owner from another client is another owner'],
  },
  {
    name: 'takes no client for a client of its own',
    vary: ({ store, tables }) => {
      const strictly = <Call extends Pick<AcquireCall, 'resource' | 'owner' | 'client'>>(
        call: Call,
      ): Call => {
        const there = tables.leases.get(call.resource);
        const isStranger = there?.client === null && call.client !== null;
        return isStranger ? { ...call, owner: `not ${call.owner}` } : call;
      };
      return {
        ...store,
        renew: (call) => store.renew(strictly(call)),
        release: (call) => store.release(strictly(call)),
      };
    },
    caughtBy: ['a lease without a client is its owner’s alone, whatever client comes'],
  },
  {
    name: 'pays no attention to the token of a renew or a release',
    vary: ({ store }) => ({
      ...store,
      renew: (call) => store.renew({ ...call, fencingToken: null }),
      release: (call) => store.release({ ...call, fencingToken: null }),
    }),
    caughtBy: [
      'once an owner has acquired again its earlier token is lost',
      '50 acquires with one owner all succeed, and only the last token counts',
    ],
  },
  {
    name: 'reads, thinks and then writes an acquire',
    vary: ({ store, tables, clock }) => ({
      ...store,
      acquire: async (call) => {
        const seen = tables.leases.get(call.resource);
        await turn();
        if (seen === undefined || stateAt(seen, clock()) === 'expired') {
          tables.leases.delete(call.resource);
        }
        return store.acquire(call);
      },
    }),
    caughtBy: [
      'of 50 callers on a free resource exactly one gets it',
      'of 50 callers on a lock that has just expired exactly one gets it',
      '300 mixed calls at once on few resources leave a history by the rules',
    ],
  },
  {
    name: 'reads, thinks and then deletes in a release',
    vary: ({ store, tables }) => ({
      ...store,
      release: async (call) => {
        const { outcome } = await store.inspect(call.resource);
        const isOwn = outcome?.owner === call.owner && outcome.client === call.client;
        await turn();
        const dated = await store.release(call);
        if (isOwn) tables.leases.delete(call.resource);
        return dated;
      },
    }),
    caughtBy: [
      'a late release that meets a claim leaves the claim alone',
      'a release of a lease that is over writes nothing',
    ],
  },
  {
    name: 'deletes the row when a lease is released too late',
    vary: ({ store, tables }) => ({
      ...store,
      release: async (call) => {
        const dated = await store.release(call);
        if (dated.outcome.kind === 'expired') tables.leases.delete(call.resource);
        return dated;
      },
    }),
    caughtBy: ['a release of a lease that is over writes nothing'],
  },
  {
    name: 'lets a renew bring the expiry nearer',
    vary: ({ store, tables }) => ({
      ...store,
      renew: async (call) => {
        const dated = await store.renew(call);
        if (dated.outcome.kind !== 'renewed') return dated;
        const lease = { ...dated.outcome.lease, expiresAtMs: dated.nowMs + call.ttlMs };
        tables.leases.set(call.resource, lease);
        return { ...dated, outcome: { kind: 'renewed', lease } };
      },
    }),
    caughtBy: [
      'a renew with a short TTL never brings the expiry nearer',
      'a step back never makes a lease shorter or a held time negative',
    ],
  },
  {
    name: 'counts the TTL from the request, five seconds before the grant',
    vary: ({ store, tables }) => ({
      ...store,
      acquire: async (call) => {
        const dated = await store.acquire(call);
        if (dated.outcome.kind === 'held') return dated;
        const { lease } = dated.outcome;
        const shortened = { ...lease, expiresAtMs: lease.expiresAtMs - 5_000 };
        tables.leases.set(call.resource, shortened);
        return { ...dated, outcome: { kind: 'granted', lease: shortened } };
      },
    }),
    caughtBy: [
      'a free resource is granted for the TTL, counted from the grant',
      'an expired lock is claimed in place: the row stays, the token grows',
    ],
  },
  {
    name: 'goes on after its tokens are used up',
    vary: ({ store, tables }) => ({
      ...store,
      acquire: (call) => {
        if (tables.fencingToken >= Number.MAX_SAFE_INTEGER) tables.fencingToken = 0;
        return store.acquire(call);
      },
    }),
    caughtBy: ['when the tokens are used up nothing is granted or held, and nothing ends'],
  },
];

function ownerOf({ owner, client }: { owner: string; client: string | null }) {
  return { owner, client, fencingToken: null };
}

function clientThere(
  tables: MemoryParts['tables'],
  call: Pick<AcquireCall, 'resource' | 'client'>,
): string | null {
  return tables.leases.get(call.resource)?.client ?? call.client;
}

/** Judges every call as if a lease lasted one millisecond longer than it is said to. */
function lastMillisecondCounts({ store, tables, clock }: MemoryParts): LockStore {
  const late = async <T>(run: () => Promise<T>): Promise<T> => {
    const ending = [...tables.leases.values()].filter((lease) => lease.expiresAtMs === clock());
    const prolonged = new Map<string, Lease>();
    for (const lease of ending) {
      prolonged.set(lease.resource, { ...lease, expiresAtMs: lease.expiresAtMs + 1 });
    }
    for (const [resource, lease] of prolonged) tables.leases.set(resource, lease);
    const outcome = await run();
    for (const lease of ending) {
      const isUntouched = tables.leases.get(lease.resource) === prolonged.get(lease.resource);
      if (isUntouched) tables.leases.set(lease.resource, lease);
    }
    return outcome;
  };
  return {
    ...store,
    acquire: (call) => late(() => store.acquire(call)),
    renew: (call) => late(() => store.renew(call)),
    release: (call) => late(() => store.release(call)),
    list: (query) => late(() => store.list(query)),
    forceRelease: (calls) => late(() => store.forceRelease(calls)),
    hold: (call) => late(() => store.hold(call)),
    askRelease: (call) => late(() => store.askRelease(call)),
  };
}
