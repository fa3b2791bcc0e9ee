import { z } from 'zod';

import {
  feedOrigin,
  type FeedEvent,
  type FeedPage,
  type FeedQuery,
  type FeedTally,
  type TallyQuery,
} from '../locks/event-feed';
import { eventKinds, type LockEvent } from '../locks/events';

/** Rows of the feed as every dialect reports them: JSON, times in milliseconds. */

const whole = z.int();
const text = z.string().nullable();
const kind = z.enum(eventKinds);

/** The transaction, and after it the columns of `lock_events` in this order. */
const feedRow = z
  .tuple([
    whole,
    whole,
    whole,
    kind,
    text,
    text,
    whole.nullable(),
    whole.nullable(),
    text,
    text,
    text,
    text,
    whole.nullable(),
    whole.nullable(),
    text,
    text,
  ])
  .transform((row): FeedEvent => ({
    position: { transaction: row[0], id: row[1] },
    event: {
      id: String(row[1]),
      atMs: row[2],
      kind: row[3],
      resource: row[4],
      owner: row[5],
      fencingToken: row[6],
      expiresAtMs: row[7],
      previousOwner: row[8],
      client: row[9],
      actor: row[10],
      reason: row[11],
      count: row[12],
      heldMs: row[13],
      requestId: row[14],
      subject: row[15],
    } satisfies LockEvent,
  }));

const feedReport = z.tuple([z.boolean(), whole, z.array(feedRow)]);

/** @param raw whether the place is known, the lag, and the events. */
export function parseFeed(raw: unknown, { after }: FeedQuery): FeedPage {
  const [isKnown, lagMs, events] = feedReport.parse(raw);
  // The newest are found from the end.
  return { isKnown, lagMs, events: after === null ? events.toReversed() : events };
}

const tallyReport = z.tuple([
  whole,
  z.tuple([whole, whole]).nullable(),
  z.array(z.tuple([kind, whole])),
]);

/** @param raw the lag, the place of the last event that was counted, and a count for each kind. */
export function parseTally(raw: unknown, { after }: TallyQuery): FeedTally {
  const [lagMs, last, counts] = tallyReport.parse(raw);
  const end = last === null ? after : { transaction: last[0], id: last[1] };
  return { lagMs, end, counts: Object.fromEntries(counts) };
}

export function isOrigin({ transaction, id }: { transaction: number; id: number }): boolean {
  return transaction === feedOrigin.transaction && id === feedOrigin.id;
}
