import type { Asker } from '../locks/contention';
import type {
  Dated,
  EventsPage,
  EventsQuery,
  ListPage,
  ListQuery,
  SeenLease,
} from '../locks/lock-store';

/** What only reads. Each is one transaction, so that its parts agree with one another. */
export interface LockReads {
  readonly inspect: (resource: string) => Promise<Dated<SeenLease | null>>;
  readonly askers: (resource: string) => Promise<Dated<readonly Asker[]>>;
  readonly list: (query: ListQuery) => Promise<Dated<ListPage>>;
  readonly events: (query: EventsQuery) => Promise<EventsPage>;
}
