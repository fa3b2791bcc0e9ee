import path from 'node:path';
import { rmSync } from 'node:fs';

import pg from 'pg';
import { afterEach, describe, expect, inject, test } from 'vitest';

import { createApi, type Api } from '../support/api';
import { fresh } from '../support/both-doors';
import { bearer, testKey } from '../support/callers';
import { rowsOf } from '../support/database';
import { dataOf, openReader, type EventReader, type Message } from '../support/event-reader';
import { createDatabase, query } from '../support/postgres-cluster';
import { createRandom } from '../support/random';
import { startServer, temporaryFolder, type TestServer } from '../support/server';
import { poll } from '../support/waiting';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const rounds = 60;
const writersPerInstance = 4;
const names = 25;

/** Two instances on one database, and the ids of the history as it is in the end. */
const places = {
  async SQLite() {
    const folder = temporaryFolder();
    cleanUps.push(() => rmSync(folder, { recursive: true, force: true }));
    const databaseFile = path.join(folder, 'holdfast.db');
    const first = await startServer({ databaseFile });
    const servers = [first, await startServer({ databaseFile })];
    const sql = 'SELECT id, kind, resource FROM lock_events WHERE resource IS NOT NULL ORDER BY id';
    return { servers, url: null, history: () => Promise.resolve(rowsOf(databaseFile, sql)) };
  },
  async PostgreSQL() {
    const url = await createDatabase(inject('postgresUrl'));
    const options = { environment: { DATABASE_URL: url } };
    const servers = [await startServer(options), await startServer(options)];
    const sql = `SELECT id::integer, kind, resource FROM lock_events WHERE resource IS NOT NULL ORDER BY id`;
    return { servers, url, history: () => query(url, sql) };
  },
} as const;

describe.each(['SQLite', 'PostgreSQL'] as const)('two instances on %s', (database) => {
  test('a reader that is cut and resumes at random, now here, now there, gets every event once, and each lock’s in order', async () => {
    const { servers, url, history } = await places[database]();
    cleanUps.push(...servers.map((server) => () => server.stop()));
    const start = await firstPlace(servers[0]);
    const state = { isWriting: true };
    const writing = write(servers.map((server) => createApi(server))).finally(
      () => (state.isWriting = false),
    );
    // Beside them, transactions of somebody else that are open for a while.
    const disturbing = url === null ? Promise.resolve() : disturb(url, state);
    const seen = await readInPieces(servers, start, state, async () => {
      await Promise.all([writing, disturbing]);
      return (await history()).length;
    });
    const told = seen.map((message) => ({
      id: Number(dataOf(message).id),
      kind: dataOf(message).kind,
      resource: dataOf(message).resource,
    }));
    expect(told.length).toBeGreaterThan(2_000);
    const kept = (await history()) as { id: number; kind: string; resource: string }[];
    expect(told.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(kept.map(({ id }) => id));
    // That others asked is written beside the calls; where writers are several it has no certain place among theirs.
    const hasPlace = (kind: string) => database === 'SQLite' || kind !== 'contended';
    for (const resource of new Set(kept.map((event) => event.resource))) {
      const idsOf = (events: readonly { id: number; kind: string; resource: string | null }[]) =>
        events
          .filter((event) => event.resource === resource && hasPlace(event.kind))
          .map(({ id }) => id);
      expect(idsOf(told)).toEqual(idsOf(kept));
    }
  });
});

const open = (server: TestServer | undefined, lastId: string) =>
  openReader(server?.url ?? '', '/api/events/stream?kind=lease', {
    ...bearer(testKey),
    ...(lastId === '' ? {} : { 'last-event-id': lastId }),
  });

async function firstPlace(server: TestServer | undefined): Promise<string> {
  const reader = await open(server, '');
  await poll(() => (reader.lastId() === '' ? null : true), {
    withinMs: 20_000,
    describe: () => 'no place is told',
  });
  reader.close();
  return reader.lastId();
}

/** Acquires and releases of few names by many callers, which collide all the time. */
async function write(apis: readonly Api[]): Promise<void> {
  const resources = Array.from({ length: names }, () => fresh('busy'));
  const writer = async (api: Api, number: number) => {
    const owner = `writer-${number}`;
    for (let round = 0; round < rounds; round += 1) {
      await Promise.all(
        resources.map(async (resource) => {
          const body = { owner, ttl_ms: 60_000 };
          const answer = await api.call('acquire', { resource, body });
          if (answer.ok && answer.value().acquired) {
            await api.call('release', { resource, query: { owner } });
          }
        }),
      );
    }
  };
  const writers = apis.flatMap((api, place) =>
    Array.from({ length: writersPerInstance }, (_, number) =>
      writer(api, place * writersPerInstance + number),
    ),
  );
  await Promise.all(writers);
}

/** Opens, writes events early and late, and commits or rolls back, while the others go on. */
async function disturb(url: string, state: { readonly isWriting: boolean }): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const event = `INSERT INTO lock_events (at, kind, resource) VALUES (holdfast_now(), 'released', 'elsewhere')`;
  for (let turn = 0; state.isWriting; turn += 1) {
    await client.query('BEGIN');
    await client.query(event);
    await client.query('SELECT pg_sleep(0.15)');
    await client.query(event);
    await client.query(turn % 3 === 0 ? 'ROLLBACK' : 'COMMIT');
  }
  await client.end();
}

/** Reads a random number of messages from one instance, is cut off, and goes on at another. */
async function readInPieces(
  servers: readonly TestServer[],
  start: string,
  state: { readonly isWriting: boolean },
  countAll: () => Promise<number>,
): Promise<Message[]> {
  const random = createRandom('stream-resume');
  const seen: Message[] = [];
  let place = start;
  let total = Infinity;
  const counting = countAll().then((count) => (total = count));
  for (let piece = 0; seen.length < total && piece < 2_000; piece += 1) {
    const reader = await open(servers[piece % servers.length], place);
    const wanted = random.between(1, 120);
    const isLast = !state.isWriting;
    await readSome(reader, wanted, () => seen.length + reader.messages.length >= total, isLast);
    // Cut off wherever it is: what has come counts, and the next begins after it.
    reader.close();
    seen.push(...reader.messages.filter(({ hasId }) => hasId));
    // Nothing more comes: what is missing by now is lost.
    if (isLast && reader.messages.length === 0) break;
    place = reader.messages.findLast(({ hasId }) => hasId)?.lastId ?? place;
  }
  await counting;
  return seen;
}

async function readSome(
  reader: EventReader,
  wanted: number,
  isAll: () => boolean,
  isLast: boolean,
): Promise<void> {
  const patienceMs = isLast ? 5_000 : 300;
  await poll(() => (reader.messages.length >= wanted || isAll() ? true : null), {
    withinMs: patienceMs,
    describe: () => 'nothing comes just now',
  }).catch(() => undefined);
}
