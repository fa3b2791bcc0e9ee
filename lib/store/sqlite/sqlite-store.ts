import { PrismaClient } from '@/generated/prisma-sqlite/client';

import type {
  Dated,
  EventsPage,
  EventsQuery,
  ListPage,
  ListQuery,
  LockStore,
} from '../../locks/lock-store';
import { limits } from '../../locks/limits';
import { createGroupCommit, type GroupCommitOptions } from '../group-commit';
import type { SqliteConnection } from './connection';
import { countsStatement, pageStatement, sortValueOf } from './statements/list';
import { migrateSqlite, type Migration } from './migrate';
import { prismaAdapterOf } from './prisma-adapter';
import { eventOfRow, parseLeases, parseNumbers } from './rows';
import { sqliteClock } from './statements/parts';
import { createVerbs } from './verbs';

export interface SqliteStoreOptions {
  readonly connection: SqliteConnection;
  readonly migrations: readonly Migration[];
  readonly groupCommit: GroupCommitOptions;
  /** An SQL expression for now in milliseconds; only tests give one. */
  readonly clock?: string;
}

/** The SQLite store: migrates the file, and serves the lock verbs in group commits. It closes the connection. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<LockStore> {
  const { connection } = options;
  try {
    const commits = createGroupCommit(options.groupCommit);
    await commits.runWithPatience(() => migrateSqlite(connection, options.migrations));
    return buildStore(connection, commits, options);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

function buildStore(
  connection: SqliteConnection,
  commits: ReturnType<typeof createGroupCommit>,
  options: SqliteStoreOptions,
): LockStore {
  const clock = options.clock ?? sqliteClock;
  const monotonicMs = () => options.groupCommit.waiting.now();
  const verbs = createVerbs(connection, clock, monotonicMs);
  const prisma = new PrismaClient({ adapter: prismaAdapterOf(connection) });

  // Renewals and releases first: they end or keep what is already granted.
  const renew = commits.addLane(verbs.renew);
  const release = commits.addLane(verbs.release);
  const acquire = commits.addLane(verbs.acquire);

  return {
    acquire,
    renew,
    release,
    forceRelease: (calls) => commits.runWithPatience(() => verbs.forceRelease(calls)),
    hold: (call) => commits.runWithPatience(() => verbs.hold(call)),
    askRelease: (call) => commits.runWithPatience(() => verbs.askRelease(call)),
    inspect: (resource) => commits.runWithPatience(() => verbs.inspect(resource)),
    list: (query) => commits.runWithPatience(() => readList(connection, query, clock, monotonicMs)),
    events: (query) => commits.runWithPatience(() => readEvents(prisma, query)),
    async ping() {
      await commits.runWithPatience(() => verbs.inspect(''));
    },
    async close() {
      await commits.close();
      await prisma.$disconnect();
      await connection.close();
    },
  };
}

async function readList(
  connection: SqliteConnection,
  query: ListQuery,
  clock: string,
  monotonicMs: () => number,
): Promise<Dated<ListPage>> {
  const readAtMs = monotonicMs();
  const [counted, page] = await connection.transaction([
    countsStatement(query.filter, clock),
    pageStatement(query, clock),
  ]);
  const [nowMs = 0, ...counts] = parseNumbers(counted);
  const [active = 0, expired = 0, expiring = 0, silent = 0, closed = 0] = counts.map((count) =>
    Math.min(count, limits.countMax),
  );
  const found = parseLeases(page);
  const leases = found.slice(0, query.limit);
  const last = found.length > query.limit ? leases.at(-1) : undefined;
  return {
    outcome: {
      leases,
      next: last === undefined ? null : { value: sortValueOf(last, query.sortField), id: last.id },
      counts: { active, expired, expiring, silent, closed, asked: 0 },
      areCountsCapped: counts.some((count) => count > limits.countMax),
    },
    nowMs,
    readAtMs,
  };
}

async function readEvents(prisma: PrismaClient, query: EventsQuery): Promise<EventsPage> {
  const found = await prisma.lockEvent.findMany({
    where: {
      resource: query.resource,
      ...(query.beforeId === null ? {} : { id: { lt: Number(query.beforeId) } }),
    },
    orderBy: { id: 'desc' },
    take: query.limit + 1,
  });
  const events = found.slice(0, query.limit).map(eventOfRow);
  return { events, nextBeforeId: found.length > query.limit ? (events.at(-1)?.id ?? null) : null };
}
