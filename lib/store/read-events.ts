import { z } from 'zod';

import { eventKinds, type LockEvent } from '../locks/events';
import type { EventsPage, EventsQuery } from '../locks/lock-store';

/** An event as the Prisma client reads it. */
interface EventRow {
  readonly id: number | bigint;
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

/** The history's table, as the Prisma client of any dialect has it. */
interface EventTable<Id> {
  findMany(wanted: {
    where: { resource: string; id?: { lt: Id } };
    orderBy: { id: 'desc' };
    take: number;
  }): PromiseLike<EventRow[]>;
}

/**
 * One page of a resource's history, newest first.
 *
 * @param idOf an id as the dialect's Prisma client has it.
 */
export async function readEvents<Id>(
  table: EventTable<Id>,
  query: EventsQuery,
  idOf: (id: string) => Id,
): Promise<EventsPage> {
  const { resource, limit, beforeId } = query;
  const found = await table.findMany({
    where: beforeId === null ? { resource } : { resource, id: { lt: idOf(beforeId) } },
    orderBy: { id: 'desc' },
    take: limit + 1,
  });
  const events = found.slice(0, limit).map(eventOfRow);
  const hasMore = found.length > limit;
  return { events, nextBeforeId: hasMore ? (events.at(-1)?.id ?? null) : null };
}
