import type { StoredKey, StoredMember } from '@/lib/access/access-store';
import type { Caller } from '@/lib/access/callers';
import type { KeyOnWire, MemberOnWire, MeOnWire } from '@/lib/contract/access-answers';
import type { ResourcePattern } from '@/lib/locks/patterns';

import { timeOnWire } from './wire';

/** Keys, members and callers in the wire's words. A hash never leaves. */

export function keyOnWire(key: StoredKey, nowMs: number): KeyOnWire {
  return {
    id: key.id,
    name: key.name,
    client: key.client,
    prefix: key.prefix,
    scopes: [...key.scopes],
    patterns: [...key.patterns],
    state: stateOf(key, nowMs),
    created_at: timeOnWire(key.createdAtMs),
    created_by: key.createdBy,
    expires_at: timeOrNull(key.expiresAtMs),
    revoked_at: timeOrNull(key.revokedAtMs),
    last_used_at: timeOrNull(key.lastUsedAtMs),
  };
}

function stateOf(key: StoredKey, nowMs: number): KeyOnWire['state'] {
  if (key.revokedAtMs !== null) return 'revoked';
  return key.expiresAtMs !== null && key.expiresAtMs <= nowMs ? 'expired' : 'active';
}

export function memberOnWire(member: StoredMember): MemberOnWire {
  return {
    id: member.id,
    email: member.email,
    name: member.name,
    role: member.role,
    state: member.canSignIn ? 'active' : 'invited',
    signs_in_by: [...member.signsInBy],
    created_at: timeOnWire(member.createdAtMs),
  };
}

/** At most so many: whom to ask is told, not who is who. */
const adminsMax = 10;

/** @param members everybody; of them a person is told the admins, and how they sign in themselves. */
export function callerOnWire(caller: Caller, members: readonly StoredMember[]): MeOnWire {
  switch (caller.kind) {
    case 'person':
      return {
        kind: 'person',
        id: caller.id,
        name: caller.name,
        email: caller.email,
        role: caller.role,
        signs_in_by: [...(members.find(({ id }) => id === caller.id)?.signsInBy ?? [])],
        admins: members
          .filter(({ role, canSignIn }) => role === 'admin' && canSignIn)
          .slice(0, adminsMax)
          .map(({ email }) => email),
        session_expires_at: timeOnWire(caller.sessionExpiresAtMs),
      };
    case 'key':
      return {
        kind: 'key',
        id: caller.keyId,
        name: caller.name,
        client: caller.client,
        scopes: [...caller.scopes],
        patterns: caller.patterns.map(patternText),
        expires_at: timeOrNull(caller.expiresAtMs),
      };
  }
}

function patternText(pattern: ResourcePattern): string {
  return pattern.kind === 'exact' ? pattern.name : `${pattern.prefix}*`;
}

function timeOrNull(ms: number | null): string | null {
  return ms === null ? null : timeOnWire(ms);
}
