import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, inject } from 'vitest';

import type { LockOnWire } from '@/lib/contract/answers';

import { createApi, type Api } from './api';
import { createDatabase } from './postgres-cluster';
import { doors, startServer, type Door, type TestServer } from './server';
import { poll } from './waiting';

/** Defines the same tests against a server of each door; one server for all of them, so names must be fresh. */
export function throughBothDoors(title: string, define: (api: Api) => void): void {
  for (const door of doors) throughDoor(door, title, define);
}

/** The same on each database as well. Next's door is tried on one: what differs between databases is behind both doors. */
export function everywhere(title: string, define: Define, environment: Environment = {}): void {
  for (const door of doors) throughDoor(door, title, define, 'SQLite', environment);
  throughDoor('npm start', title, define, 'PostgreSQL', environment);
  throughDoor('npm start', title, define, 'Redis', environment);
}

type Define = (api: Api, server: { readonly url: string }) => void;
type Environment = Readonly<Record<string, string>>;

export function throughDoor(
  door: Door,
  title: string,
  define: Define,
  store: StoreKind = 'SQLite',
  environment: Environment = {},
): void {
  describe(`${title}, through ${door} on ${store}`, () => {
    const running: { server: TestServer | null } = { server: null };
    beforeAll(async () => {
      running.server = await startServer({
        door,
        environment: { ...environment, ...(await storeOf(store)) },
      });
    });
    afterAll(() => running.server?.stop());
    const address = {
      get url() {
        if (running.server === null) throw new Error('The server has not been started');
        return running.server.url;
      },
    };
    define(createApi(address), address);
  });
}

type StoreKind = 'SQLite' | 'PostgreSQL' | 'Redis';

async function storeOf(kind: StoreKind): Promise<Environment> {
  switch (kind) {
    case 'SQLite':
      return {};
    case 'PostgreSQL':
      return { DATABASE_URL: await createDatabase(inject('postgresUrl')) };
    case 'Redis':
      return redisEnvironment(inject('redisUrl'));
  }
}

/** Locks in Redis, with a prefix of their own; people, keys and history in a SQLite file. */
export function redisEnvironment(url: string): Record<string, string> {
  return { LOCK_STORE_URL: url, HOLDFAST_REDIS_PREFIX: `test-${randomUUID()}` };
}

/** A name that no other test uses. */
export function fresh(what = 'job'): string {
  return `${what}-${randomUUID()}`;
}

/** Resolves when the server itself says that the lease is over. */
export async function untilExpired(api: Api, resource: string): Promise<void> {
  await poll(
    async () => {
      const answer = await api.call('inspect', { resource, query: { include: 'expired' } });
      return answer.value().lock.state === 'expired' ? true : null;
    },
    { withinMs: 30_000, describe: () => `the lease on ${resource} is not over` },
  );
}

/** A lease that is over soon. Should a slow machine take longer to answer than it lasts, a longer one is tried. */
export async function grantShort(
  api: Api,
  resource: string,
  owner = 'owner',
  shortestTtlMs = 250,
): Promise<LockOnWire> {
  for (const ttlMs of [shortestTtlMs, 1_000, 4_000]) {
    const answer = await api.call('acquire', { resource, body: { owner, ttl_ms: ttlMs } });
    if (answer.status === 503) continue;
    const body = answer.value();
    if (!body.acquired) throw new Error(`${resource} is held by ${body.holder.owner}`);
    return body.lock;
  }
  throw new Error('No lease outlasted its answer');
}

/** A text as it can stand in the title of a test. */
export function shown(text: string): string {
  const characters = Array.from(JSON.stringify(text));
  return characters.length <= 60 ? characters.join('') : `${characters.slice(0, 56).join('')}…`;
}
