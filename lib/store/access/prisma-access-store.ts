import type { PrismaClient } from '@/generated/prisma-sqlite/client';

import type { AccessStore } from '../../access/access-store';
import { unavailable } from '../errors';
import { keyCalls } from './keys';
import { linkCalls } from './links';
import { memberCalls } from './members';
import { writeEvent, type AccessDatabase } from './transaction';

/** Keys and people in a database, and the Prisma client that better-auth wants. */
export interface AccessDatabaseHandle {
  readonly store: AccessStore;
  readonly prisma: object;
  readonly dialect: 'sqlite' | 'postgresql';
  close(): Promise<void>;
}

/**
 * Keys, members and links through the Prisma client, which is the same for every dialect.
 *
 * @param nowMs the clock of the database, in milliseconds since 1970.
 */
export function createAccessStore(prisma: PrismaClient, nowMs: () => Promise<number>): AccessStore {
  const database: AccessDatabase = {
    prisma,
    nowMs: () => asStore(nowMs),
    read: asStore,
    transact: (work) =>
      asStore(async () => {
        const now = await nowMs();
        return prisma.$transaction((tx) => work(tx, now));
      }),
  };
  return {
    nowMs: database.nowMs,
    ...keyCalls(database),
    ...memberCalls(database),
    ...linkCalls(database),
    forgetEnded: () =>
      asStore(async () => {
        const where = { expiresAt: { lte: new Date(await nowMs()) } };
        await prisma.session.deleteMany({ where });
        await prisma.accessLink.deleteMany({ where });
        await prisma.verification.deleteMany({ where });
      }),
    noteEvent: (event) => database.transact((tx, now) => writeEvent(tx, event, now)),
  };
}

/** Whatever the client throws means that the store did not answer; its words go to the log. */
async function asStore<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw unavailable(error);
  }
}
