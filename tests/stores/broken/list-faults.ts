import type { ListQuery, LockStore } from '@/lib/locks/lock-store';
import { createMemoryStore } from '@/lib/store/memory/memory-store';
import { createMemoryTables } from '@/lib/store/memory/tables';

import type { MemoryParts } from '../memory-under-test';
import type { BrokenStore } from './broken-store';

/** Faults in how names are compared, listed and paged. */
export const listFaults: readonly BrokenStore[] = [
  {
    name: 'counts where nobody wants counts',
    vary: ({ store }) => ({
      ...store,
      list: (query) => store.list({ ...query, isUncounted: false }),
    }),
    caughtBy: ['a page that nobody wants counts of has none, and the same locks'],
  },
  {
    name: 'takes % and _ in a filter for wildcards',
    vary: ({ store, tables, clock }) => ({
      ...store,
      list: (query) => listLoosely({ store, tables, clock }, query, likePattern),
    }),
    caughtBy: ['no character of a filter is a wildcard'],
  },
  {
    name: 'filters without regard to case',
    vary: ({ store, tables, clock }) => ({
      ...store,
      list: (query) => listLoosely({ store, tables, clock }, query, caselessPattern),
    }),
    caughtBy: [
      'filters tell upper case from lower, and accents apart',
      'no character of a filter is a wildcard',
    ],
  },
  {
    name: 'compares names without regard to case',
    vary: ({ store }) => withNames(store, (name) => name.toLowerCase()),
    caughtBy: ['names that differ in one byte are different locks'],
  },
  {
    name: 'cuts names at 255 characters',
    vary: ({ store }) => withNames(store, (name) => name.slice(0, 255)),
    caughtBy: ['a name is never cut, up to its limit'],
  },
  {
    name: 'pages by counting rows',
    vary: ({ store }) => {
      const offsets = new Map<string, number>();
      return {
        ...store,
        list: async (query) => {
          const key = JSON.stringify(query.after);
          const offset = query.after === null ? 0 : (offsets.get(key) ?? 0);
          const whole = await store.list({ ...query, after: null, limit: offset + query.limit });
          const { next } = whole.outcome;
          offsets.set(JSON.stringify(next), offset + query.limit);
          const leases = whole.outcome.leases.slice(offset);
          return { ...whole, outcome: { ...whole.outcome, leases } };
        },
      };
    },
    caughtBy: ['pages go on where they were although locks come, go and change'],
  },
  {
    name: 'pages by the sort value without the id',
    vary: ({ store }) => ({
      ...store,
      list: (query) => {
        if (query.after === null) return store.list(query);
        const id = query.isDescending ? '0' : String(Number.MAX_SAFE_INTEGER);
        return store.list({ ...query, after: { ...query.after, id } });
      },
    }),
    caughtBy: [
      'pages neither repeat nor skip, whatever the sort and the ties',
      'ids are compared as numbers',
    ],
  },
  {
    name: 'shows everybody everything',
    vary: ({ store }) => ({
      ...store,
      list: (query) => store.list({ ...query, filter: { ...query.filter, visible: null } }),
    }),
    caughtBy: ['a caller sees and counts what its patterns cover, on every page'],
  },
  {
    name: 'shows expired locks as active',
    vary: ({ store }) => ({
      ...store,
      list: (query) => store.list(query.state === 'active' ? { ...query, state: 'all' } : query),
    }),
    caughtBy: [
      'at exactly its expiry a lease is listed and counted as expired',
      'the list has active, expired or all locks',
    ],
  },
];

/** Lists by patterns in place of the filters' own comparisons of text. */
async function listLoosely(
  { tables, clock }: MemoryParts,
  query: ListQuery,
  pattern: (text: string) => string,
) {
  const { text, resourcePrefix, owner, ownerPrefix, client } = query.filter;
  const matches = (value: string | null, wanted: string | null, end: string) =>
    wanted === null || new RegExp(`^${pattern(wanted)}${end}`, 'su').test(value ?? '');
  const leases = [...tables.leases].filter(
    ([, lease]) =>
      matches(lease.resource, resourcePrefix, '') &&
      matches(lease.owner, owner, '$') &&
      matches(lease.owner, ownerPrefix, '') &&
      matches(lease.client, client, '$') &&
      (text === null || matches(lease.resource, text, '')),
  );
  const only = { ...createMemoryTables(), leases: new Map(leases) };
  const filter = {
    ...query.filter,
    text: null,
    resourcePrefix: null,
    owner: null,
    ownerPrefix: null,
  };
  return createMemoryStore({ clock, tables: only }).list({
    ...query,
    filter: { ...filter, client: null },
  });
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

function likePattern(text: string): string {
  return literal(text).replaceAll('%', '.*').replaceAll('_', '.');
}

function caselessPattern(text: string): string {
  const either = (one: string) => `(?:${literal(one.toLowerCase())}|${literal(one.toUpperCase())})`;
  return Array.from(text, either).join('');
}

/** Changes the name of the resource on its way in. */
function withNames(store: LockStore, change: (name: string) => string): LockStore {
  const renamed = <Call extends { readonly resource: string }>(call: Call): Call => ({
    ...call,
    resource: change(call.resource),
  });
  return {
    ...store,
    acquire: (call) => store.acquire(renamed(call)),
    renew: (call) => store.renew(renamed(call)),
    release: (call) => store.release(renamed(call)),
    inspect: (resource) => store.inspect(change(resource)),
    forceRelease: (calls) => store.forceRelease(calls.map(renamed)),
    hold: (call) => store.hold(renamed(call)),
    askRelease: (call) => store.askRelease(renamed(call)),
    events: ({ filter, ...query }) => {
      const { resource } = filter;
      const name = resource?.kind === 'exact' ? change(resource.name) : null;
      const changed = name === null ? resource : ({ kind: 'exact', name } as const);
      return store.events({ ...query, filter: { ...filter, resource: changed } });
    },
  };
}
