import type { Prisma, PrismaClient } from '@/generated/prisma-sqlite/client';

import type { AccessEvent } from '../../access/access-store';

export interface AccessDatabase {
  readonly prisma: PrismaClient;
  readonly nowMs: () => Promise<number>;
  readonly read: <T>(work: () => Promise<T>) => Promise<T>;
  /** Runs the work in one transaction, with the database's clock from right before it. */
  readonly transact: <T>(
    work: (tx: Prisma.TransactionClient, nowMs: number) => Promise<T>,
  ) => Promise<T>;
}

export async function writeEvent(
  tx: Prisma.TransactionClient,
  event: AccessEvent,
  nowMs: number,
): Promise<void> {
  await tx.lockEvent.create({ data: { ...event, at: new Date(nowMs) } });
}

export function millisecondsOf(time: Date | null): number | null {
  return time === null ? null : time.getTime();
}

export function timeOf(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}

/** Prisma's code for a unique column that already has the value. */
export function isTaken(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'P2002';
}
