import { inviteMember, listMembers } from '@/lib/http/handlers/members';
import { route } from '@/lib/http/route';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: listMembers,
  POST: inviteMember,
});
