import { z } from 'zod';

import { eventKinds, type LockEvent } from '../locks/events';

/** An event as the Prisma client reads it. */
export interface EventRow {
  readonly id: bigint;
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

export function eventOfRow(row: EventRow): LockEvent {
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
