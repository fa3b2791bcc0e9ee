import type { Lease } from './lease';
import type { ListSortField } from './lock-store';

/** What a list sorts a lease by: text, or a number of milliseconds or of the token. */
export function sortValueOf(lease: Lease, field: ListSortField): string | number {
  switch (field) {
    case 'resource':
      return lease.resource;
    case 'owner':
      return lease.owner;
    case 'acquired_at':
      return lease.acquiredAtMs;
    case 'expires_at':
      return lease.expiresAtMs;
    case 'fencing_token':
      return lease.fencingToken;
  }
}
