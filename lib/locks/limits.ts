/** The numbers of the contract that are not configurable, with their units in the name. */
export const limits = {
  resourceBytesMax: 512,
  ownerBytesMax: 255,
  clientBytesMax: 255,
  ttlMsMin: 100,
  metadataEntriesMax: 16,
  metadataBytesMax: 2048,
  reasonCharactersMin: 3,
  reasonCharactersMax: 500,
  listLimitDefault: 100,
  listLimitMax: 500,
  /** Counts are exact up to here; beyond it they are capped and said to be. */
  countMax: 10_000,
  bulkReleaseMax: 500,
  /** How many events one page of the history looks at, before it says that there may be more. */
  eventsWalkMax: 20_000,
  /** A renew of a lease that a person ended is told so for this long. */
  forcedMemoryMs: 24 * 60 * 60 * 1000,
  /** Largest fencing token, and the largest integer that JSON carries exactly. */
  fencingTokenMax: Number.MAX_SAFE_INTEGER,
} as const;

/** The limits that an operator of the service may change, by environment. */
export interface LockSettings {
  /** The longest TTL and hold, in milliseconds. */
  readonly ttlMsMax: number;
  /** What a denied caller is told to wait at most, in milliseconds. */
  readonly retryAfterMsMax: number;
}

export const defaultLockSettings: LockSettings = {
  ttlMsMax: 86_400_000,
  retryAfterMsMax: 5_000,
};
