import { PrismaClient } from '@/generated/prisma-sqlite/client';

import { prismaWithTransactions } from '../sqlite/prisma-transactions';
import { systemWaiting } from '../system-waiting';
import { createAccessStore, type AccessDatabaseHandle } from './prisma-access-store';

const patienceMs = 2_000;

/** @param url `file:` and a path; the migrations have been applied. */
export function openSqliteAccess(url: string): AccessDatabaseHandle {
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
