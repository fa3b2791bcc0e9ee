import type { Denials, TidyAgain } from '../locks/contention';
import type { Metadata } from '../locks/lease';
import type {
  AcquireCall,
  AcquireOutcome,
  AskReleaseCall,
  AskReleaseOutcome,
  Dated,
  ForceReleaseCall,
  ForceReleaseOutcome,
  HoldCall,
  HoldOutcome,
  ReleaseCall,
  ReleaseOutcome,
  RenewCall,
  RenewOutcome,
} from '../locks/lock-store';
import type { RenewalNote } from '../locks/renewals';
import type { Upkeep } from '../locks/upkeep';

/**
 * What a database does in one transaction each: a group of one kind of lease call, or one act of an operator.
 *
 * @typeParam Failed what stands in place of an outcome where one call of a group can fail alone.
 */
export interface LockVerbs<Failed = never> {
  readonly acquire: (calls: readonly AcquireCall[]) => Promise<(Dated<AcquireOutcome> | Failed)[]>;
  readonly renew: (calls: readonly RenewCall[]) => Promise<(Dated<RenewOutcome> | Failed)[]>;
  readonly release: (calls: readonly ReleaseCall[]) => Promise<(Dated<ReleaseOutcome> | Failed)[]>;
  readonly forceRelease: (
    calls: readonly ForceReleaseCall[],
  ) => Promise<Dated<readonly ForceReleaseOutcome[]>>;
  readonly hold: (call: HoldCall) => Promise<Dated<HoldOutcome>>;
  readonly askRelease: (call: AskReleaseCall) => Promise<Dated<AskReleaseOutcome>>;
  readonly noteDenials: (denials: readonly Denials[]) => Promise<void>;
  readonly noteRenewals: (notes: readonly RenewalNote[]) => Promise<void>;
  readonly tidyDenials: () => Promise<TidyAgain>;
  readonly noteEnds: Upkeep['noteEnds'];
  readonly forgetOld: Upkeep['forgetOld'];
}

/** Metadata as it is kept: JSON in a text column, which gives back every string that JSON can carry. */
export function metadataText(metadata: Metadata | null): string | null {
  return metadata === null ? null : JSON.stringify(metadata);
}

/** Renewals to be told of, as one row of a group. */
export function renewalRider({ lease, count }: RenewalNote) {
  const { resource, owner, client, fencingToken, acquiredAtMs, expiresAtMs } = lease;
  const atMs = lease.renewedAtMs ?? acquiredAtMs;
  const heldMs = Math.max(0, atMs - acquiredAtMs);
  return { resource, owner, client, fencingToken, count, atMs, expiresAtMs, heldMs };
}

/** Its members, in the order in which a group carries them. */
export const renewalFields = [
  'resource',
  'owner',
  'client',
  'fencingToken',
  'count',
  'atMs',
  'expiresAtMs',
  'heldMs',
] as const;

/** Denied attempts with the lease that was in the way, as one row of a group. */
export function denialRider({ holder, ...denials }: Denials) {
  const { owner: holderOwner, client: holderClient, fencingToken } = holder;
  return { ...denials, holderOwner, holderClient, fencingToken };
}

/** Its members, in the order in which a group carries them. */
export const denialFields = [
  'resource',
  'owner',
  'client',
  'attempts',
  'firstAtMs',
  'lastAtMs',
  'holderOwner',
  'holderClient',
  'fencingToken',
] as const;

/** The most rows that one tidying forgets of each table: it keeps no lock call waiting for long. */
export const tidiedMax = 500;
