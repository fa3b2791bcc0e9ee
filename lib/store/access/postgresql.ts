import { PrismaPg } from '@prisma/adapter-pg';
import type { ClientBase } from 'pg';
import { z } from 'zod';

import { PrismaClient } from '@/generated/prisma-postgresql/client';
import type { PrismaClient as AnyPrismaClient } from '@/generated/prisma-sqlite/client';

import type { PostgresOptions } from '../postgresql/database';
import { createAccessStore, type AccessDatabaseHandle } from './prisma-access-store';

/** Keys and people ask seldom: the pool of the locks is left alone. */
const connectionsMax = 3;

/** The migrations have been applied. */
export function openPostgresAccess(
  options: Pick<PostgresOptions, 'url' | 'connectMsMax' | 'statementMsMax'>,
): AccessDatabaseHandle {
  const adapter = new PrismaPg({
    connectionString: options.url,
    application_name: 'holdfast',
    max: connectionsMax,
    connectionTimeoutMillis: options.connectMsMax,
    query_timeout: options.statementMsMax,
    keepAlive: true,
    onConnect: speakUtc,
  });
  const prisma = new PrismaClient({ adapter });
  const nowMs = async () => {
    const rows = await prisma.$queryRaw`SELECT holdfast_ms(holdfast_now())::text AS now`;
    return clockRow.parse(rows)[0].now;
  };
  return {
    store: createAccessStore(asAny(prisma), nowMs),
    prisma,
    dialect: 'postgresql',
    close: () => prisma.$disconnect(),
  };
}

/**
 * The adapter writes times without a zone, and reads them as text of which it drops the zone: it takes every session to
 * write dates as ISO does, in UTC, whatever the database's or the role's own habit is. A pooler in transaction mode carries
 * both settings along. The pool waits for the promise, which its type does not say.
 */
function speakUtc(client: ClientBase): unknown {
  return client.query(`SET datestyle = 'ISO'; SET timezone = 'UTC'`);
}

const clockRow = z.tuple([z.object({ now: z.string().transform(Number) })]);

/** Both clients are made from one models.prisma: they differ in the type of an event's id, which is not used here. */
function asAny(prisma: PrismaClient): AnyPrismaClient {
  return prisma as unknown as AnyPrismaClient;
}
