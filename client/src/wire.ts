// What travels between the client and the service. Made from the OpenAPI document by
// `node scripts/client-types.mjs`, and not to be edited: a test holds it against the document.

export interface Event {
  readonly id: string;
  /** RFC 3339, UTC, milliseconds */
  readonly at: string;
  readonly kind:
    | 'acquired'
    | 'reacquired'
    | 'released'
    | 'claimed'
    | 'expired'
    | 'renewed'
    | 'contended'
    | 'noticed'
    | 'force_released'
    | 'cleared'
    | 'held'
    | 'reopened'
    | 'release_requested'
    | 'signed_in'
    | 'sign_in_failed'
    | 'key_created'
    | 'key_rotated'
    | 'key_revoked'
    | 'member_added'
    | 'member_changed'
    | 'member_removed';
  readonly resource: string | null;
  readonly owner: string | null;
  readonly fencing_token: number | null;
  readonly expires_at: string | null;
  readonly previous_owner: string | null;
  readonly client: string | null;
  readonly actor: string | null;
  readonly reason: string | null;
  readonly count: number | null;
  readonly held_ms: number | null;
  readonly request_id: string | null;
  readonly subject: string | null;
}

export interface Holder {
  readonly id: string;
  readonly owner: string;
  readonly client: string | null;
  /** RFC 3339, UTC, milliseconds */
  readonly acquired_at: string;
  /** RFC 3339, UTC, milliseconds */
  readonly expires_at: string;
  readonly fencing_token: number;
  readonly held_by_operator: {
    readonly name: string;
    readonly reason: string;
  } | null;
  readonly metadata: Readonly<Record<string, string>> | null;
}

export interface Lock {
  readonly id: string;
  readonly resource: string;
  readonly owner: string;
  /** RFC 3339, UTC, milliseconds */
  readonly acquired_at: string;
  /** RFC 3339, UTC, milliseconds */
  readonly expires_at: string;
  readonly renewed_at: string | null;
  readonly renew_count: number;
  readonly renew_every_ms: number | null;
  readonly ttl_ms: number;
  readonly fencing_token: number;
  readonly state: 'active' | 'expired';
  readonly condition: 'expiring' | 'silent' | 'closed' | null;
  /** What is left when the answer is written */
  readonly remaining_ms: number;
  readonly client: string | null;
  readonly held_by_operator: {
    readonly name: string;
    readonly reason: string;
  } | null;
  readonly release_requested: {
    readonly by: string;
    readonly reason: string;
    /** RFC 3339, UTC, milliseconds */
    readonly at: string;
  } | null;
  readonly contention: {
    readonly attempts: number;
    readonly owners: number;
    readonly last_owner: string;
    /** RFC 3339, UTC, milliseconds */
    readonly last_at: string;
  } | null;
  readonly metadata: Readonly<Record<string, string>> | null;
}

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly code:
    | 'invalid-request'
    | 'not-found'
    | 'not-owner'
    | 'lock-expired'
    | 'lock-lost'
    | 'lock-changed'
    | 'last-admin'
    | 'unauthenticated'
    | 'forbidden'
    | 'method-not-allowed'
    | 'payload-too-large'
    | 'unsupported-media-type'
    | 'too-many-requests'
    | 'provider-unavailable'
    | 'store-unavailable'
    | 'unavailable'
    | 'internal';
  readonly errors?:
    | readonly {
        readonly field: string;
        readonly message: string;
      }[]
    | undefined;
  readonly lock?: Lock | undefined;
  readonly forced?:
    | {
        readonly by: string;
        readonly reason: string | null;
        /** RFC 3339, UTC, milliseconds */
        readonly at: string;
      }
    | undefined;
}

export interface AcquireBody {
  /** The token of whoever holds the lock, unique for each attempt: 1 to 255 bytes of UTF-8 after NFC. */
  readonly owner: string;
  /** How long the lease lasts without renewal, in seconds. Exactly one of ttl_seconds and ttl_ms. */
  readonly ttl_seconds?: number | undefined;
  /** How long the lease lasts without renewal, in milliseconds. Exactly one of ttl_seconds and ttl_ms. */
  readonly ttl_ms?: number | undefined;
  /** A flat object of at most 16 strings, 2 KiB in all as JSON. Known keys: host, pid, job, link, client_version. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

export interface RenewBody {
  /** The token of whoever holds the lock, unique for each attempt: 1 to 255 bytes of UTF-8 after NFC. */
  readonly owner: string;
  /** How long the lease lasts without renewal, in seconds. Exactly one of ttl_seconds and ttl_ms. */
  readonly ttl_seconds?: number | undefined;
  /** How long the lease lasts without renewal, in milliseconds. Exactly one of ttl_seconds and ttl_ms. */
  readonly ttl_ms?: number | undefined;
  /** A fencing token: of two leases on one resource the later has the larger one, for ever. */
  readonly fencing_token?: number | undefined;
}

export interface ReleaseBody {
  /** The token of whoever holds the lock, unique for each attempt: 1 to 255 bytes of UTF-8 after NFC. */
  readonly owner: string;
  /** A fencing token: of two leases on one resource the later has the larger one, for ever. */
  readonly fencing_token?: number | undefined;
}

export interface CheckBody {
  /** A fencing token: of two leases on one resource the later has the larger one, for ever. */
  readonly fencing_token: number;
}

export interface ForceReleaseBody {
  /** Why, kept in the history: 3 to 500 characters on one line. */
  readonly reason?: string | undefined;
  /** A fencing token: of two leases on one resource the later has the larger one, for ever. */
  readonly fencing_token: number;
  /** Keep the resource closed this long, in the same atomic step. Needs a reason. */
  readonly hold_seconds?: number | undefined;
  readonly only_expired?: boolean | undefined;
}

export interface HoldBody {
  /** Why, kept in the history: 3 to 500 characters on one line. */
  readonly reason: string;
  /** How long the lease lasts without renewal, in seconds. Exactly one of ttl_seconds and ttl_ms. */
  readonly ttl_seconds?: number | undefined;
  /** How long the lease lasts without renewal, in milliseconds. Exactly one of ttl_seconds and ttl_ms. */
  readonly ttl_ms?: number | undefined;
  /** A fencing token: of two leases on one resource the later has the larger one, for ever. */
  readonly fencing_token?: number | undefined;
}

export type AcquireAnswer =
  | {
      readonly acquired: true;
      readonly lock: Lock;
    }
  | {
      readonly acquired: false;
      readonly resource: string;
      readonly holder: Holder;
      readonly retry_after_ms: number;
    };

export interface RenewAnswer {
  readonly lock: Lock;
}

export interface InspectAnswer {
  readonly lock: Lock;
  /** RFC 3339, UTC, milliseconds */
  readonly now: string;
}

export interface ListAnswer {
  readonly locks: readonly Lock[];
  readonly next_cursor: string | null;
  readonly counts: {
    readonly active: number;
    readonly expired: number;
    readonly expiring: number;
    readonly silent: number;
    readonly closed: number;
    readonly asked: number;
  };
  readonly counts_capped: boolean;
  /** RFC 3339, UTC, milliseconds */
  readonly now: string;
}

export interface CheckAnswer {
  readonly valid: boolean;
  readonly fencing_token: number | null;
  readonly state: 'active' | 'expired' | 'free';
}

export interface LockEventsAnswer {
  readonly events: readonly Event[];
  readonly next_cursor: string | null;
}

export interface ForceReleaseAnswer {
  readonly released: Lock;
  readonly hold: Lock | null;
}

export type MeAnswer =
  | {
      readonly kind: 'person';
      readonly id: string;
      readonly name: string;
      readonly email: string;
      readonly role: 'viewer' | 'operator' | 'admin';
      readonly signs_in_by: readonly ('password' | 'provider')[];
      /** The addresses of those who can give more rights, at most 10 */
      readonly admins: readonly string[];
      /** RFC 3339, UTC, milliseconds */
      readonly session_expires_at: string;
    }
  | {
      readonly kind: 'key';
      readonly id: string;
      readonly name: string;
      readonly client: string;
      readonly scopes: readonly ('acquire' | 'read' | 'operate')[];
      readonly patterns: readonly string[];
      readonly expires_at: string | null;
    };

export interface ListQuery {
  readonly state?: 'active' | 'expired' | 'all' | undefined;
  readonly condition?: 'expiring' | 'silent' | 'closed' | undefined;
  readonly q?: string | undefined;
  readonly prefix?: string | undefined;
  readonly owner?: string | undefined;
  readonly owner_prefix?: string | undefined;
  readonly client?: string | undefined;
  readonly fencing_token?: number | undefined;
  readonly asked_min?: number | undefined;
  readonly sort?:
    | 'resource'
    | '-resource'
    | 'owner'
    | '-owner'
    | 'acquired_at'
    | '-acquired_at'
    | 'expires_at'
    | '-expires_at'
    | 'fencing_token'
    | '-fencing_token'
    | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}
