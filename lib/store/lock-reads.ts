import type { FeedPage, FeedQuery, FeedTally, TallyQuery } from '../locks/event-feed';
import type { Lease } from '../locks/lease';
import type { Dated, ListPage, ListQuery } from '../locks/lock-store';
import type { EventsPage, EventsQuery } from '../locks/trail';
import type { Upkeep } from '../locks/upkeep';

/** What only reads. Each is one transaction, so that its parts agree with one another. */
export interface LockReads {
  readonly inspect: (resource: string) => Promise<Dated<Lease | null>>;
  readonly list: (query: ListQuery) => Promise<Dated<ListPage>>;
  readonly events: (query: EventsQuery) => Promise<EventsPage>;
  readonly endedLeases: Upkeep['endedLeases'];
  readonly feed: (query: FeedQuery) => Promise<FeedPage>;
  readonly tally: (query: TallyQuery) => Promise<FeedTally>;
}
