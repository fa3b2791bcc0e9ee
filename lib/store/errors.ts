import { StoreUnavailable } from '../locks/errors';

/** What a store tells group commit of a transaction that failed. Anything else means: what was written is not known. */

/** Nothing was written because somebody else holds the store's writer; trying again may help. */
export class StoreBusy extends Error {
  override readonly name = 'StoreBusy';
}

/** Nothing was written, because a statement failed before the commit. */
export class RolledBack extends Error {
  override readonly name = 'RolledBack';
}

/** The same as what a caller is told. */
export function unavailable(cause: unknown): StoreUnavailable {
  if (cause instanceof StoreUnavailable) return cause;
  return new StoreUnavailable('The store does not answer', { cause });
}
