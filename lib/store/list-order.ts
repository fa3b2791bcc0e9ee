import type { Lease } from '../locks/lease';
import type { ListPosition, ListSortField } from '../locks/lock-store';
import { sortValueOf } from '../locks/sort-value';

export function positionOf(lease: Lease, field: ListSortField): ListPosition {
  return { value: sortValueOf(lease, field), id: lease.id };
}

/** The ascending order of the list: by value, ties by id. */
export function comparePositions(a: ListPosition, b: ListPosition): number {
  const byValue =
    typeof a.value === 'number' && typeof b.value === 'number'
      ? a.value - b.value
      : compareBytes(String(a.value), String(b.value));
  return byValue === 0 ? Number(a.id) - Number(b.id) : byValue;
}

/** By UTF-8 bytes. JavaScript's own order is that of UTF-16, which puts 💾 before ﬁ. */
export function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
