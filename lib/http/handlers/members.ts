import type { MemberRefusal } from '@/lib/access/access-store';
import type { LinkToHandOver } from '@/lib/access/members';
import type { Services } from '@/lib/server/services';

import { memberOnWire } from '../access-wire';
import { requestSource } from '../authenticate';
import { invalid, Problem } from '../problem';
import { assertWithinLimit, handle, type HandlerContext } from '../route';
import { timeOnWire } from '../wire';
import { by } from './keys';

/** The people who may sign in, and the one-time links by which they set their passwords. */

export const listMembers = handle('listMembers', async (_, { services }) => {
  const { members, store } = services.access;
  const [found, nowMs] = await Promise.all([members.list(), store.nowMs()]);
  return { status: 200, body: { members: found.map(memberOnWire), now: timeOnWire(nowMs) } };
});

export const inviteMember = handle('inviteMember', async ({ body }, context) => {
  const { services, caller, requestId, request } = context;
  const { email, role, name = null } = body;
  const made = await services.access.members.invite({ email, role, name }, by(caller, requestId));
  if (made === 'taken') throw addressTaken();
  return { status: 201, body: linkOnWire(made, request, services) };
});

export const changeMember = handle('changeMember', async ({ parameters, body }, context) => {
  const { services, caller, requestId } = context;
  const { members } = services.access;
  const changed = await members.changeRole(parameters.id, body.role, by(caller, requestId));
  if (typeof changed === 'string') throw refused(changed);
  return { status: 200, body: { member: memberOnWire(changed) } };
});

export const removeMember = handle('removeMember', async ({ parameters }, context) => {
  const { services, caller, requestId } = context;
  const removed = await services.access.members.remove(parameters.id, by(caller, requestId));
  if (removed !== 'removed') throw refused(removed);
  return { status: 204 };
});

export const renewMemberLink = handle('renewMemberLink', async ({ parameters }, context) => {
  const { services, caller, requestId, request } = context;
  const made = await services.access.members.newLink(parameters.id, by(caller, requestId));
  if (made === null) throw refused('not-found');
  return { status: 201, body: linkOnWire(made, request, services) };
});

export const lookUpLink = handle('lookUpLink', async ({ body }, context) => {
  const { access } = context.services;
  const attempt = attemptOf(context);
  const link = await access.members.lookUpLink(body.token);
  if (link === null) throw noLink();
  attempt.wasRight();
  return {
    status: 200,
    body: {
      kind: link.member === null ? 'first-admin' : 'member',
      email: link.member?.email ?? null,
      role: link.member?.role ?? 'admin',
      expires_at: timeOnWire(link.expiresAtMs),
    },
  };
});

export const redeemLink = handle('redeemLink', async ({ body }, context) => {
  const { services, requestId } = context;
  const attempt = attemptOf(context);
  const { token, password, email = null, name = null } = body;
  const given = { token, password, email, name, requestId };
  const member = await services.access.members.redeemLink(given);
  if (member === null) throw noLink();
  attempt.wasRight();
  if (member === 'email-required') throw invalid([{ field: 'email', message: 'is required' }]);
  if (member === 'taken') throw addressTaken();
  return { status: 200, body: { member: memberOnWire(member) } };
});

/** Counts an attempt at a link, by where it comes from. @throws Problem 429 */
function attemptOf({ services, request }: Pick<HandlerContext, 'services' | 'request'>) {
  const { attempts } = services.access;
  const { address } = requestSource(request, services);
  assertWithinLimit(attempts.attemptFrom(address));
  return { wasRight: () => attempts.succeededFrom(address) };
}

/** The token stands after a `#`, which browsers send to nobody and no server logs. */
function linkOnWire(
  { member, token, expiresAtMs }: LinkToHandOver,
  request: Request,
  services: Services,
) {
  const { isTls } = requestSource(request, services);
  const host = request.headers.get('host') ?? 'localhost';
  const origin = services.settings.publicOrigin ?? `${isTls ? 'https' : 'http'}://${host}`;
  return {
    member: memberOnWire(member),
    link: `${origin}/set-up#${token}`,
    link_expires_at: timeOnWire(expiresAtMs),
  };
}

function refused(refusal: MemberRefusal): Problem {
  switch (refusal) {
    case 'not-found':
      return new Problem('not-found', 'There is no such member.');
    case 'last-admin':
      return new Problem(
        'last-admin',
        'This is the last admin who can sign in. Make another one first.',
      );
  }
}

function addressTaken(): Problem {
  return invalid([{ field: 'email', message: 'belongs to a member already' }]);
}

function noLink(): Problem {
  return new Problem('not-found', 'This link was used, has run out or never was. Ask an admin.');
}
