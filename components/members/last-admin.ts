import type { MemberOnWire } from '@/lib/contract/access-answers';

/** Whether nobody else could let anybody in again. An admin who was only invited can't sign in yet, and does not count. */
export function isLastAdmin(member: MemberOnWire, members: readonly MemberOnWire[]): boolean {
  if (!canAdminister(member)) return false;
  return members.filter(canAdminister).length <= 1;
}

function canAdminister({ role, state }: MemberOnWire): boolean {
  return role === 'admin' && state === 'active';
}
