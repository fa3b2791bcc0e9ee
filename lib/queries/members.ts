import { mutationOptions, queryOptions } from '@tanstack/react-query';
import { z } from 'zod';

import type { Role } from '../contract/access';
import {
  memberLinkAnswer,
  membersAnswer,
  oneMemberAnswer,
  type MemberOnWire,
} from '../contract/access-answers';
import { emailField } from '../contract/access-fields';
import { fetchJson } from './fetch-json';
import { pollingOptions, type Polling } from './polling';
import { anchorOf, type ServerAnchor } from './server-anchor';

/** Everybody who may sign in, at one moment, oldest first. */
export interface MembersSighting {
  readonly members: readonly MemberOnWire[];
  readonly anchor: ServerAnchor;
}

export const membersQueryKey = ['members'] as const;

export function membersOptions(polling: Polling) {
  return queryOptions({
    ...pollingOptions(polling),
    queryKey: membersQueryKey,
    queryFn: async ({ signal }): Promise<MembersSighting> => {
      const { members, now } = await fetchJson('/api/members', { schema: membersAnswer, signal });
      return { members, anchor: anchorOf(now) };
    },
  });
}

export interface InviteRequest {
  readonly email: string;
  readonly role: Role;
}

/** The link comes with the answer and never again, as the secret of a key does. */
export const inviteOptions = mutationOptions({
  networkMode: 'always',
  gcTime: 0,
  mutationFn: (body: InviteRequest) =>
    fetchJson('/api/members', { schema: memberLinkAnswer, method: 'POST', body }),
});

/** Whether the API would take it as an address. */
export function isAddress(text: string): boolean {
  return emailField.safeParse(text).success;
}

export const newLinkOptions = mutationOptions({
  networkMode: 'always',
  gcTime: 0,
  mutationFn: (id: string) =>
    fetchJson(`${memberPath(id)}/link`, { schema: memberLinkAnswer, method: 'POST' }),
});

export interface RoleRequest {
  readonly id: string;
  readonly role: Role;
}

/** To say the same role twice is harmless, and so is to remove twice. */
export const changeRoleOptions = mutationOptions({
  networkMode: 'always',
  mutationFn: async ({ id, role }: RoleRequest) => {
    const schema = oneMemberAnswer;
    return (await fetchJson(memberPath(id), { schema, method: 'PATCH', body: { role } })).member;
  },
});

export const removeMemberOptions = mutationOptions({
  networkMode: 'always',
  mutationFn: (id: string) => fetchJson(memberPath(id), { schema: z.null(), method: 'DELETE' }),
});

function memberPath(id: string): string {
  return `/api/members/${encodeURIComponent(id)}`;
}
