import { PrismaClient } from '@/generated/prisma-sqlite/client';

import type { AccessStore } from '../../access/access-store';
import { prismaWithTransactions } from '../sqlite/prisma-transactions';
import { systemWaiting } from '../system-waiting';
import { createAccessStore } from './prisma-access-store';

/** Keys and people in a database, and the Prisma client that better-auth wants. */
export interface AccessDatabaseHandle {
  readonly store: AccessStore;
  readonly prisma: object;
  readonly dialect: 'sqlite' | 'postgresql';
  close(): Promise<void>;
}

const patienceMs = 2_000;

/** @param url `file:` and a path; the migrations have been applied. */
export function openAccessDatabase(url: string): AccessDatabaseHandle {
  const adapter = prismaWithTransactions({ url, waiting: systemWaiting, patienceMs });
  const prisma = new PrismaClient({ adapter });
  return {
    // The host's clock is SQLite's.
    store: createAccessStore(prisma, () => Promise.resolve(Date.now())),
    prisma,
    dialect: 'sqlite',
    close: () => prisma.$disconnect(),
  };
}
