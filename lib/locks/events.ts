export const leaseEventKinds = [
  'acquired',
  'reacquired',
  'released',
  'claimed',
  'expired',
  'renewed',
  'contended',
  'noticed',
] as const;

export const operatorEventKinds = [
  'force_released',
  'cleared',
  'held',
  'reopened',
  'release_requested',
] as const;

/** What happens to keys, people and their sessions. These are about no resource. */
export const accessEventKinds = [
  'signed_in',
  'sign_in_failed',
  'key_created',
  'key_rotated',
  'key_revoked',
  'member_added',
  'member_changed',
  'member_removed',
] as const;
export type AccessEventKind = (typeof accessEventKinds)[number];

export const eventKinds = [...leaseEventKinds, ...operatorEventKinds, ...accessEventKinds] as const;
export type EventKind = (typeof eventKinds)[number];

/** One line of the history. Times are milliseconds by the store's clock. */
export interface LockEvent {
  readonly id: string;
  readonly atMs: number;
  readonly kind: EventKind;
  /** Null for what happens to keys and people. */
  readonly resource: string | null;
  /** Whose lease it was: the new owner of a grant, the evicted one of a force-release. */
  readonly owner: string | null;
  readonly fencingToken: number | null;
  readonly expiresAtMs: number | null;
  readonly previousOwner: string | null;
  readonly client: string | null;
  /** The person who acted; null when the owner itself did. */
  readonly actor: string | null;
  readonly reason: string | null;
  readonly count: number | null;
  /** How long the lease had been held when it ended. */
  readonly heldMs: number | null;
  readonly requestId: string | null;
  /** What an access event is about; null for locks. */
  readonly subject: string | null;
}
