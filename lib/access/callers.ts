import { accessRules, hasRole, type Access, type Role, type Scope } from '@/lib/contract/access';
import { isCovered, type ResourcePattern } from '@/lib/locks/patterns';

/** Who calls: a service by its key, or a person who has signed in. */
export type Caller = KeyCaller | PersonCaller;

export interface KeyCaller {
  readonly kind: 'key';
  readonly keyId: string;
  readonly name: string;
  /** The service account: part of the ownership of a lease. */
  readonly client: string;
  readonly scopes: readonly Scope[];
  readonly patterns: readonly ResourcePattern[];
  /** By the store's clock; null for a key that does not end by itself. */
  readonly expiresAtMs: number | null;
}

export interface PersonCaller {
  readonly kind: 'person';
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  readonly sessionExpiresAtMs: number;
}

/** Whether the scopes of a key, or the role of a person, are enough. Which resources is asked apart. */
export function mayCall(caller: Caller, access: Exclude<Access, 'anybody'>): boolean {
  const rule: { readonly scopes: readonly Scope[]; readonly role: Role | null } =
    accessRules[access];
  switch (caller.kind) {
    case 'key':
      return caller.scopes.some((scope) => rule.scopes.includes(scope));
    case 'person':
      return rule.role !== null && hasRole(caller.role, rule.role);
  }
}

export function mayReach(caller: Caller, resource: string): boolean {
  return caller.kind === 'person' || isCovered(resource, caller.patterns);
}

/** What a list may show the caller; null for everything. */
export function visibleTo(caller: Caller): readonly ResourcePattern[] | null {
  if (caller.kind === 'person') return null;
  const seesAll = caller.patterns.some(
    (pattern) => pattern.kind === 'prefix' && pattern.prefix === '',
  );
  return seesAll ? null : caller.patterns;
}

/**
 * What the history may show the caller; null for everything. A key sees what happened to the resources that its patterns
 * cover. Events of keys and people are none of these, and for people alone: a stolen key must not tell who can be tricked.
 */
export function eventsVisibleTo(caller: Caller): readonly ResourcePattern[] | null {
  return caller.kind === 'person' ? null : caller.patterns;
}

/** The same for one event. @param resource null for what happened to keys and people. */
export function maySee(caller: Caller, resource: string | null): boolean {
  const visible = eventsVisibleTo(caller);
  return visible === null || (resource !== null && isCovered(resource, visible));
}

/** Whom limits count by. */
export function callerId(caller: Caller): string {
  return caller.kind === 'key' ? caller.keyId : caller.id;
}

/** How the history names the caller. Addresses are unique, and no key's name looks like one. */
export function actorOf(caller: Caller): string {
  return caller.kind === 'key' ? caller.name : caller.email;
}
