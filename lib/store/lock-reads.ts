import type { Asker } from '../locks/contention';
import type {
  Dated,
  EventsPage,
  EventsQuery,
  ListPage,
  ListQuery,
  SeenLease,
} from '../locks/lock-store';
import type { LeaseEvent, LockUsageQuery, Usage, UsageQuery } from '../locks/usage';

/** What only reads. Each is one transaction, so that its parts agree with one another. */
export interface LockReads {
  readonly inspect: (resource: string) => Promise<Dated<SeenLease | null>>;
  readonly askers: (resource: string) => Promise<Dated<readonly Asker[]>>;
  readonly list: (query: ListQuery) => Promise<Dated<ListPage>>;
  readonly lockUsage: (query: LockUsageQuery) => Promise<Dated<readonly LeaseEvent[]>>;
  readonly usage: (query: UsageQuery) => Promise<Dated<Usage>>;
  readonly events: (query: EventsQuery) => Promise<EventsPage>;
}
