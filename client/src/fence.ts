import { LockLostError } from './errors.js';
import type { Lease } from './lease.js';

/**
 * After a fenced write, such as `UPDATE … SET fence = :token WHERE id = :id AND fence <= :token`: that no row was changed
 * means that a later lease has written.
 *
 * @throws LockLostError if no row was changed.
 */
export function assertFenced(
  lease: Pick<Lease, 'resource' | 'fencingToken'>,
  rowsChanged: number | bigint | null | undefined,
): void {
  if (Number(rowsChanged ?? 0) > 0) return;
  const { resource, fencingToken } = lease;
  throw new LockLostError({ resource, fencingToken, how: 'taken' });
}
