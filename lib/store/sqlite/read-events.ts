import { z } from 'zod';

import type { PrismaClient } from '@/generated/prisma-sqlite/client';

import { eventKinds, type LockEvent } from '../../locks/events';
import type { EventsPage, EventsQuery } from '../../locks/lock-store';
import { eventsPage } from '../events-page';

/** An event as the Prisma client reads it. */
interface EventRow {
  readonly id: number;
  readonly at: Date;
  readonly kind: string;
  readonly resource: string | null;
  readonly owner: string | null;
  readonly fencingToken: bigint | null;
  readonly expiresAt: Date | null;
  readonly previousOwner: string | null;
  readonly client: string | null;
  readonly actor: string | null;
  readonly reason: string | null;
  readonly count: number | null;
  readonly heldMs: bigint | null;
  readonly requestId: string | null;
  readonly subject: string | null;
}

const eventKind = z.enum(eventKinds);

function eventOfRow(row: EventRow): LockEvent {
  return {
    id: String(row.id),
    atMs: row.at.getTime(),
    kind: eventKind.parse(row.kind),
    resource: z.string().parse(row.resource),
    owner: row.owner,
    fencingToken: row.fencingToken === null ? null : Number(row.fencingToken),
    expiresAtMs: row.expiresAt === null ? null : row.expiresAt.getTime(),
    previousOwner: row.previousOwner,
    client: row.client,
    actor: row.actor,
    reason: row.reason,
    count: row.count,
    heldMs: row.heldMs === null ? null : Number(row.heldMs),
    requestId: row.requestId,
    subject: row.subject,
  };
}

/** One page of a resource's history, newest first. */
export async function readEvents(
  prisma: PrismaClient,
  { resource, limit, beforeId }: EventsQuery,
): Promise<EventsPage> {
  const found = await prisma.lockEvent.findMany({
    where: { resource, ...(beforeId === null ? {} : { id: { lt: Number(beforeId) } }) },
    orderBy: { id: 'desc' },
    take: limit + 1,
  });
  return eventsPage(found.map(eventOfRow), limit);
}
