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
  readonly noteEnds: Upkeep['noteEnds'];
  readonly forgetOld: Upkeep['forgetOld'];
}

/** Metadata as it is kept: JSON in a text column, which gives back every string that JSON can carry. */
export function metadataText(metadata: Metadata | null): string | null {
  return metadata === null ? null : JSON.stringify(metadata);
}
