import { z } from 'zod';

import { eventKinds, type LockEvent } from '../../locks/events';
import type { Forced, Lease } from '../../locks/lease';
import type { ListCounts } from '../../locks/lock-store';
import type { Rows } from './lock-file';

/** Raw rows lie about their types: everything that comes out of a statement is parsed here, and only here. */

const count = z.int();
const text = z.string().nullable();
const metadata = z.record(z.string(), z.string());

/** In the order of `leaseColumns`. */
const leaseRow = z
  .tuple([
    count,
    z.string(),
    z.string(),
    text,
    count,
    count,
    count.nullable(),
    count,
    count,
    count,
    text,
    text,
    text,
    text,
    count.nullable(),
    text,
  ])
  .transform((row): Lease => ({
    id: String(row[0]),
    resource: row[1],
    owner: row[2],
    client: row[3],
    acquiredAtMs: row[4],
    expiresAtMs: row[5],
    renewedAtMs: row[6],
    renewCount: row[7],
    ttlMs: row[8],
    fencingToken: row[9],
    hold: row[10] === null ? null : { name: row[10], reason: row[11] ?? '' },
    releaseRequested:
      row[12] === null || row[14] === null
        ? null
        : { by: row[12], reason: row[13] ?? '', atMs: row[14] },
    metadata: row[15] === null ? null : metadata.parse(JSON.parse(row[15])),
  }));

const seat = z.int().min(0);

const acquireVerdict = z.union([
  z
    .tuple([seat, z.literal(1), count, count, count])
    .transform(([rider, , id, acquiredAtMs, fencingToken]) => ({
      rider,
      granted: { id: String(id), acquiredAtMs, fencingToken },
      holder: null,
    })),
  z
    .tuple([seat, z.literal(0), leaseRow])
    .transform(([rider, , holder]) => ({ rider, granted: null, holder })),
]);

const forced = z
  .tuple([z.string(), text, count])
  .transform(([by, reason, atMs]): Forced => ({ by, reason, atMs }));

const renewVerdict = z.union([
  z
    .tuple([seat, z.literal('renewed'), leaseRow])
    .transform(([rider, kind, lease]) => ({ rider, kind, lease })),
  z.tuple([seat, z.literal('expired')]).transform(([rider, kind]) => ({ rider, kind })),
  z
    .tuple([seat, z.enum(['not-found', 'lost']), forced.nullable()])
    .transform(([rider, kind, by]) => ({ rider, kind, forced: by })),
]);

export type AcquireEntry = z.output<typeof acquireVerdict>;
export type RenewEntry = z.output<typeof renewVerdict>;

const releaseVerdict = z
  .tuple([seat, z.enum(['released', 'not-found', 'expired', 'not-owner'])])
  .transform(([rider, kind]) => ({ rider, kind }));

const forceReleaseVerdict = z.union([
  z
    .tuple([
      seat,
      z.enum(['released', 'lock-changed', 'still-active', 'reason-required']),
      leaseRow,
    ])
    .transform(([rider, kind, lease]) => ({ rider, kind, lease })),
  z
    .tuple([seat, z.literal('not-found'), z.unknown()])
    .transform(([rider, kind]) => ({ rider, kind })),
]);

const changedRow = z
  .tuple([seat, z.literal([0, 1]), leaseRow])
  .transform(([rider, changed, lease]) => ({ rider, isChanged: changed === 1, lease }));
const riderRow = z.tuple([seat, leaseRow]);

/** A statement that reports on a group answers one row: the store's clock, and a JSON array with an entry per rider. */
function groupReport<Entry extends z.ZodType>(entry: Entry) {
  const row = z.tuple([z.tuple([count, z.string()])]);
  const list = z.array(entry);
  return (rows: Rows | undefined): { nowMs: number; entries: z.output<Entry>[] } => {
    const [[nowMs, json]] = row.parse(rows);
    return { nowMs, entries: list.parse(JSON.parse(json)) };
  };
}

export const parseAcquireReport = groupReport(acquireVerdict);
export const parseRenewReport = groupReport(renewVerdict);
export const parseReleaseReport = groupReport(releaseVerdict);
export const parseForceReleaseReport = groupReport(forceReleaseVerdict);
export const parseChangeReport = groupReport(changedRow);

export function parseRiderRows(rows: Rows | undefined): Map<number, Lease> {
  const [[json]] = z.tuple([z.tuple([z.string()])]).parse(rows);
  return new Map(z.array(riderRow).parse(JSON.parse(json)));
}

/** One row: the store's clock, and the lease as JSON or null. */
export function parseInspected(rows: Rows | undefined): { nowMs: number; lease: Lease | null } {
  const [[nowMs, json]] = z.tuple([z.tuple([count, text])]).parse(rows);
  return { nowMs, lease: json === null ? null : leaseRow.parse(JSON.parse(json)) };
}

const listRow = z.tuple([z.tuple([count, count, count, count, count, count, z.string()])]);

/** One row: the store's clock, five counts, and the leases as a JSON array in the order of the statement. */
export function parseListed(rows: Rows | undefined): {
  nowMs: number;
  counts: Omit<ListCounts, 'asked'>;
  leases: Lease[];
} {
  const [[nowMs, active, expired, expiring, silent, closed, json]] = listRow.parse(rows);
  const leases = z.array(leaseRow).parse(JSON.parse(json));
  return { nowMs, counts: { active, expired, expiring, silent, closed }, leases };
}

/** An event as the Prisma client reads it. */
export interface EventRow {
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
