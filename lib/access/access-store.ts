import type { Role, Scope } from '@/lib/contract/access';
import type { AccessEventKind } from '@/lib/locks/events';

/**
 * Where keys, members and links are kept. A change and its event are one transaction, and every call throws
 * `StoreUnavailable` when the store does not answer. Times are milliseconds by the store's clock.
 */
export interface AccessStore {
  nowMs(): Promise<number>;

  /** Every key, newest first. */
  keys(): Promise<readonly StoredKey[]>;
  findKey(secretHash: string): Promise<StoredKey | null>;
  addKey(key: StoredKey, event: AccessEvent): Promise<void>;
  /**
   * Adds a key for the same client; the old one ends after the overlap. Null if it is unknown or revoked, `over` if the new
   * one would be over before it began.
   */
  rotateKey(rotation: Rotation, event: EventBy): Promise<Rotated | 'over' | null>;
  /** The revoked key, also when it was revoked before; null if it is unknown. */
  revokeKey(id: string, event: EventBy): Promise<StoredKey | null>;
  noteUses(uses: ReadonlyMap<string, number>): Promise<void>;

  /** The people, oldest first. */
  members(): Promise<readonly StoredMember[]>;
  hasAdmin(): Promise<boolean>;
  addMember(member: NewMember, link: NewLink, event: EventBy): Promise<StoredMember | 'taken'>;
  /** The last admin who can sign in keeps the role. */
  changeRole(id: string, role: Role, event: EventBy): Promise<StoredMember | MemberRefusal>;
  removeMember(id: string, event: EventBy): Promise<'removed' | MemberRefusal>;
  /** A new link in place of those from before. */
  replaceLink(memberId: string, link: NewLink, event: EventBy): Promise<StoredMember | null>;

  addFirstAdminLink(link: NewLink): Promise<void>;
  findLink(tokenHash: string): Promise<StoredLink | null>;
  /** Sets the password, once, and ends the member's sessions; null if the link is unknown, used, over or void. */
  redeemLink(redemption: Redemption): Promise<StoredMember | 'taken' | null>;
  /** Adds an admin with a password, unless there is one already. */
  addFirstAdmin(admin: FirstAdmin): Promise<StoredMember | 'exists' | 'taken'>;

  noteEvent(event: AccessEvent): Promise<void>;
  /** Removes sessions, links and sign-ins under way that are over. */
  forgetEnded(): Promise<void>;
}

export interface StoredKey {
  readonly id: string;
  readonly name: string;
  readonly client: string;
  readonly prefix: string;
  readonly secretHash: string;
  readonly scopes: readonly Scope[];
  readonly patterns: readonly string[];
  readonly createdAtMs: number;
  readonly createdBy: string;
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
  readonly lastUsedAtMs: number | null;
}

export interface StoredMember {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  /** Invited, until a password is set. */
  readonly canSignIn: boolean;
  readonly signsInBy: readonly SignInWay[];
  readonly createdAtMs: number;
}

/** A password, or the company's own provider, which then also says the role. */
export type SignInWay = 'password' | 'provider';

export type MemberRefusal = 'not-found' | 'last-admin';

/** Who did what by which request; secrets never. */
export interface EventBy {
  readonly actor: string;
  readonly requestId: string | null;
}

export interface AccessEvent extends EventBy {
  readonly kind: AccessEventKind;
  /** The key's name, or the member's address. */
  readonly subject: string;
  readonly client: string | null;
  readonly reason: string | null;
}

export interface Rotation {
  readonly id: string;
  readonly newId: string;
  readonly prefix: string;
  readonly secretHash: string;
  readonly overlapMs: number;
  /** Of the new key; undefined for that of the old one, null for never. */
  readonly expiresAtMs: number | null | undefined;
}

export interface Rotated {
  readonly key: StoredKey;
  readonly replaced: StoredKey;
}

export interface NewMember {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
}

export interface NewLink {
  readonly tokenHash: string;
  readonly lastsMs: number;
}

export interface StoredLink {
  /** Null for the link that makes the first admin, and counts only while there is none. */
  readonly member: StoredMember | null;
  readonly expiresAtMs: number;
}

export interface Redemption {
  readonly tokenHash: string;
  readonly passwordHash: string;
  /** For the first admin, who is not known yet. */
  readonly firstAdmin: NewMember | null;
  readonly requestId: string | null;
}

export interface FirstAdmin extends NewMember {
  readonly passwordHash: string;
}
