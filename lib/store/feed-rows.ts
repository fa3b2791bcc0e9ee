import { z } from 'zod';

import {
  feedOrigin,
  type FeedEvent,
  type FeedPage,
  type FeedQuery,
  type FeedTally,
  type TallyQuery,
} from '../locks/event-feed';
import { eventKinds } from '../locks/events';
import { eventRow } from './reports';

/** Rows of the feed as every dialect reports them: JSON, times in milliseconds. */

const whole = z.int();
const kind = z.enum(eventKinds);

/** The transaction, and the event as everywhere. */
const feedRow = z.tuple([whole, eventRow]).transform(([transaction, event]): FeedEvent => ({
  position: { transaction, id: Number(event.id) },
  event,
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
