import type { Asker } from '../locks/contention';
import type { FeedPage, FeedQuery, FeedTally, TallyQuery } from '../locks/event-feed';
import type { Dated, ListPage, ListQuery, SeenLease } from '../locks/lock-store';
import type { EventsPage, EventsQuery } from '../locks/trail';
import type { Upkeep } from '../locks/upkeep';
import type { LeaseEvent, LockUsageQuery, Usage, UsageQuery } from '../locks/usage';

/** What only reads. Each is one transaction, so that its parts agree with one another. */
export interface LockReads {
  readonly inspect: (resource: string) => Promise<Dated<SeenLease | null>>;
  readonly askers: (resource: string) => Promise<Dated<readonly Asker[]>>;
  readonly list: (query: ListQuery) => Promise<Dated<ListPage>>;
  readonly lockUsage: (query: LockUsageQuery) => Promise<Dated<readonly LeaseEvent[]>>;
  readonly usage: (query: UsageQuery) => Promise<Dated<Usage>>;
  readonly events: (query: EventsQuery) => Promise<EventsPage>;
  readonly endedLeases: Upkeep['endedLeases'];
  readonly feed: (query: FeedQuery) => Promise<FeedPage>;
  readonly tally: (query: TallyQuery) => Promise<FeedTally>;
}
