import { z } from 'zod';

import { eventKinds, type LockEvent } from '../locks/events';
import type { Asker, Contention } from '../locks/contention';
import type { Forced, Lease } from '../locks/lease';
import type { ListCounts, SeenLease } from '../locks/lock-store';
import type { EndedLease, ForgetOutcome, NoteEndsOutcome } from '../locks/upkeep';
import type { LeaseEvent, Usage, UsageEvent, UsageQuery } from '../locks/usage';
import type { EventsBranch } from './events-page';

/**
 * What the statements of a verb report, whatever the dialect: `[now, entries]` as JSON, times in milliseconds, and each
 * entry beginning with the seat of its rider. Raw rows lie about their types: they are parsed here, and only here.
 */

const count = z.int();
const text = z.string().nullable();
const metadata = z.record(z.string(), z.string());

/** A row of `distributed_locks`, its columns in this order. */
export const leaseRow = z
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

/** All who ask for a lock, in short. */
const contention = z
  .tuple([count, count, z.string(), count])
  .transform(([attempts, owners, lastOwner, lastAtMs]): Contention => {
    return { attempts, owners, lastOwner, lastAtMs };
  });

/** A lease and who asks for it, as two columns. */
export const seenLease = z
  .tuple([leaseRow, contention.nullable()])
  .transform(([lease, asked]): SeenLease => {
    return asked === null ? lease : { ...lease, contention: asked };
  });

export const asker = z
  .tuple([z.string(), text, count, count, count])
  .transform(([owner, client, attempts, firstAtMs, lastAtMs]): Asker => {
    return { owner, client, attempts, firstAtMs, lastAtMs };
  });

/** In the order of the list's statement. */
export const listCounts = z
  .tuple([count, count, count, count, count, count])
  .transform(([active, expired, expiring, silent, closed, asked]): ListCounts => {
    return { active, expired, expiring, silent, closed, asked };
  });

/** A row of `lock_events`, its columns in the order of `eventJson`. */
export const eventRow = z
  .tuple([
    count,
    count,
    z.enum(eventKinds),
    text,
    text,
    count.nullable(),
    count.nullable(),
    text,
    text,
    text,
    text,
    count.nullable(),
    count.nullable(),
    text,
    text,
  ])
  .transform((row): LockEvent => ({
    id: String(row[0]),
    atMs: row[1],
    kind: row[2],
    resource: row[3],
    owner: row[4],
    fencingToken: row[5],
    expiresAtMs: row[6],
    previousOwner: row[7],
    client: row[8],
    actor: row[9],
    reason: row[10],
    count: row[11],
    heldMs: row[12],
    requestId: row[13],
    subject: row[14],
  }));

/** The events of one resource, as far as usage looks at them. */
export const lockUsageEvents = z.array(
  z
    .tuple([count, z.enum(eventKinds), count.nullable(), count.nullable(), count.nullable()])
    .transform(([atMs, kind, heldMs, told, fencingToken]): LeaseEvent => {
      return { atMs, kind, heldMs, count: told, fencingToken };
    }),
);

const lockKinds: ReadonlySet<string> = new Set(eventKinds);

function isLockKind(kind: string): kind is (typeof eventKinds)[number] {
  return lockKinds.has(kind);
}

const usageEvents = z.array(
  // The history of keys and people is no lock's.
  z
    .tuple([count, z.string(), text, count.nullable(), count, z.literal([0, 1])])
    .transform(([atMs, kind, resource, heldMs, told, isEndTold]): UsageEvent[] => {
      if (!isLockKind(kind) || resource === null) return [];
      return [{ atMs, kind, resource, heldMs, count: told, isEndTold: isEndTold === 1 }];
    }),
);

const usageFound = z.tuple([z.array(z.tuple([count.nullable(), usageEvents])), usageEvents]);

/**
 * Spans with how far their ids reach and the first of their events, and the notable events. A sample that is not full is
 * all there is; of more, the ids tell: where the clock was set back or transactions came to nothing, that is too many.
 */
export function parseUsage(raw: unknown, { sampleMax }: UsageQuery): Usage {
  const [spans, notable] = usageFound.parse(raw);
  return {
    spans: spans.map(([reach, sample]) => ({
      events: sample.length < sampleMax ? sample.length : (reach ?? 0),
      sample: sample.flat(),
    })),
    notable: notable.flat(),
  };
}

const eventsBranch = z
  .tuple([z.array(eventRow), z.tuple([count, count]).nullable()])
  .transform(([events, walkedTo]): EventsBranch => ({
    events,
    walkedTo: walkedTo === null ? null : { atMs: walkedTo[0], id: String(walkedTo[1]) },
  }));

/** What `eventsStatement` yields. */
export function parseEventsBranches(raw: unknown): readonly EventsBranch[] {
  return z.array(eventsBranch).parse(raw);
}

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
    .tuple([seat, z.literal('renewed'), leaseRow, count.nullable()])
    .transform(([rider, kind, lease, due]) => ({ rider, kind, lease, due })),
  z.tuple([seat, z.literal('expired')]).transform(([rider, kind]) => ({ rider, kind })),
  z
    .tuple([seat, z.enum(['not-found', 'lost']), forced.nullable()])
    .transform(([rider, kind, by]) => ({ rider, kind, forced: by })),
]);

export type RenewEntry = z.output<typeof renewVerdict>;

const releaseVerdict = z
  .tuple([seat, z.enum(['released', 'not-found', 'expired', 'not-owner'])])
  .transform(([rider, kind]) => ({ rider, kind }));

/** The lease as it was, and the hold in its place if one was asked for. */
const forceReleaseVerdict = z.union([
  z
    .tuple([
      seat,
      z.enum(['released', 'lock-changed', 'still-active', 'reason-required']),
      leaseRow,
      leaseRow.nullable(),
    ])
    .transform(([rider, kind, lease, hold]) => ({ rider, kind, lease, hold })),
  z
    .tuple([seat, z.literal('not-found'), z.unknown(), z.unknown()])
    .transform(([rider, kind]) => ({ rider, kind })),
]);

const changedRow = z
  .tuple([seat, z.literal([0, 1]), leaseRow])
  .transform(([rider, changed, lease]) => ({ rider, isChanged: changed === 1, lease }));

/** `[now, [[resource, token], …]]` */
const endedReport = z.tuple([count, z.array(z.tuple([z.string(), count]))]);

export function parseEndedReport(raw: unknown): Report<EndedLease> {
  const [nowMs, rows] = endedReport.parse(raw);
  return { nowMs, entries: rows.map(([resource, fencingToken]) => ({ resource, fencingToken })) };
}

/** `[whether it was our turn, how many]` */
const notedReport = z.tuple([z.union([z.boolean(), z.literal([0, 1])]), count]);

export function parseNotedReport(raw: unknown): NoteEndsOutcome {
  const [isOurTurn, noted] = notedReport.parse(raw);
  return { isOurTurn: Boolean(isOurTurn), noted };
}

/** `[whether it was our turn, rows, events, where it ended]` */
const forgottenReport = z.tuple([
  z.union([z.boolean(), z.literal([0, 1])]),
  count,
  count,
  z.tuple([count, count]).nullable(),
]);

export function parseForgottenReport(raw: unknown): ForgetOutcome {
  const [isOurTurn, locks, events, end] = forgottenReport.parse(raw);
  const next = end === null ? null : { atMs: end[0], id: String(end[1]) };
  return { isOurTurn: Boolean(isOurTurn), locks, events, next };
}

function reportOf<Entry extends z.ZodType>(entry: Entry) {
  const report = z
    .tuple([count, z.array(entry)])
    .transform(([nowMs, entries]) => ({ nowMs, entries }));
  return (raw: unknown): Report<z.output<Entry>> => report.parse(raw);
}

export interface Report<Entry> {
  readonly nowMs: number;
  readonly entries: readonly Entry[];
}

export const parseAcquireReport = reportOf(acquireVerdict);
export const parseRenewReport = reportOf(renewVerdict);
export const parseReleaseReport = reportOf(releaseVerdict);
export const parseForceReleaseReport = reportOf(forceReleaseVerdict);
export const parseChangeReport = reportOf(changedRow);
