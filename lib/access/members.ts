import { randomUUID } from 'node:crypto';

import type { Role } from '@/lib/contract/access';

import type { AccessStore, EventBy, MemberRefusal, StoredLink, StoredMember } from './access-store';
import { hashPassword } from './passwords';
import { hashOfSecret, newLinkToken } from './secrets';

const dayMs = 24 * 60 * 60 * 1000;
const memberLinkMs = 3 * dayMs;
const firstAdminLinkMs = dayMs;

export interface LinkToHandOver {
  readonly member: StoredMember;
  readonly token: string;
  readonly expiresAtMs: number;
}

/** The people who may sign in, and the one-time links by which they set their passwords. */
export class Members {
  readonly #store: AccessStore;

  constructor(store: AccessStore) {
    this.#store = store;
  }

  list(): Promise<readonly StoredMember[]> {
    return this.#store.members();
  }

  async invite(
    wanted: { readonly email: string; readonly name: string | null; readonly role: Role },
    by: EventBy,
  ): Promise<LinkToHandOver | 'taken'> {
    const { email, role } = wanted;
    const member = { id: randomUUID(), email, role, name: wanted.name ?? nameOf(email) };
    const { token, link, expiresAtMs } = await this.#newLink(memberLinkMs);
    const added = await this.#store.addMember(member, link, by);
    return added === 'taken' ? added : { member: added, token, expiresAtMs };
  }

  changeRole(id: string, role: Role, by: EventBy): Promise<StoredMember | MemberRefusal> {
    return this.#store.changeRole(id, role, by);
  }

  remove(id: string, by: EventBy): Promise<'removed' | MemberRefusal> {
    return this.#store.removeMember(id, by);
  }

  async newLink(memberId: string, by: EventBy): Promise<LinkToHandOver | null> {
    const { token, link, expiresAtMs } = await this.#newLink(memberLinkMs);
    const member = await this.#store.replaceLink(memberId, link, by);
    return member === null ? null : { member, token, expiresAtMs };
  }

  /** A link that makes the first admin; null if there is one. */
  async firstAdminLink(): Promise<string | null> {
    if (await this.#store.hasAdmin()) return null;
    const { token, link } = await this.#newLink(firstAdminLinkMs);
    await this.#store.addFirstAdminLink(link);
    return token;
  }

  lookUpLink(token: string): Promise<StoredLink | null> {
    return this.#store.findLink(hashOfSecret(token));
  }

  /** @returns null if the link is unknown, used, over or void; it is looked up first, since a hash is work. */
  async redeemLink(given: {
    readonly token: string;
    readonly password: string;
    readonly email: string | null;
    readonly name: string | null;
    readonly requestId: string | null;
  }): Promise<StoredMember | 'taken' | 'email-required' | null> {
    const link = await this.lookUpLink(given.token);
    if (link === null) return null;
    if (link.member === null && given.email === null) return 'email-required';
    return this.#store.redeemLink({
      tokenHash: hashOfSecret(given.token),
      passwordHash: await hashPassword(given.password),
      firstAdmin: given.email === null ? null : newAdmin(given.email, given.name),
      requestId: given.requestId,
    });
  }

  /** Makes the admin that the environment names, unless there is an admin. */
  async ensureAdmin(email: string, password: string): Promise<StoredMember | 'exists' | 'taken'> {
    if (await this.#store.hasAdmin()) return 'exists';
    const passwordHash = await hashPassword(password);
    return this.#store.addFirstAdmin({ ...newAdmin(email, null), passwordHash });
  }

  async #newLink(lastsMs: number) {
    const token = newLinkToken();
    const expiresAtMs = (await this.#store.nowMs()) + lastsMs;
    return { token, link: { tokenHash: hashOfSecret(token), lastsMs }, expiresAtMs };
  }
}

function newAdmin(email: string, name: string | null) {
  return { id: randomUUID(), email, name: name ?? nameOf(email), role: 'admin' as const };
}

function nameOf(email: string): string {
  return email.slice(0, email.indexOf('@'));
}
