/** Who may do what: the scopes of API keys, the roles of people, and the words that the endpoint table uses for both. */

export const scopes = ['acquire', 'read', 'operate'] as const;
export type Scope = (typeof scopes)[number];

/** From the least to the most: each may do what those before it may. */
export const roles = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof roles)[number];

/** What lets a caller in: for a key one of these scopes, for a person at least this role; null for no person at all. */
export interface AccessRule {
  readonly scopes: readonly Scope[];
  readonly role: Role | null;
}

/** `operate` implies `read`. */
export const accessRules = {
  /** Services alone: people hold no leases. */
  acquire: { scopes: ['acquire'], role: null },
  inspect: { scopes: ['acquire', 'read', 'operate'], role: 'viewer' },
  read: { scopes: ['read', 'operate'], role: 'viewer' },
  operate: { scopes: ['operate'], role: 'operator' },
  /** No key, so that a stolen one can't make others. */
  administer: { scopes: [], role: 'admin' },
  'any-caller': { scopes: ['acquire', 'read', 'operate'], role: 'viewer' },
} as const satisfies Record<string, AccessRule>;

/** `anybody` needs no caller. */
export type Access = 'anybody' | keyof typeof accessRules;

export function hasRole(role: Role, least: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(least);
}
