import { actorOf, type Caller } from '@/lib/access/callers';

import { callerOnWire, keyOnWire } from '../access-wire';
import { invalid, Problem } from '../problem';
import { handle } from '../route';
import { timeOnWire } from '../wire';

/** Who calls, and the keys of services. */

export const readMe = handle('me', async (_, { caller, services }) => {
  const members = caller.kind === 'person' ? await services.access.members.list() : [];
  return { status: 200, body: callerOnWire(caller, members) };
});

export const listKeys = handle('listKeys', async (_, { services }) => {
  const { keys, store } = services.access;
  const [found, nowMs] = await Promise.all([keys.list(), store.nowMs()]);
  return {
    status: 200,
    body: { keys: found.map((key) => keyOnWire(key, nowMs)), now: timeOnWire(nowMs) },
  };
});

export const createKey = handle('createKey', async ({ body }, { services, caller, requestId }) => {
  const made = await services.access.keys.create(body, by(caller, requestId));
  if (made === null) throw over();
  const { key, secret } = made;
  return { status: 201, body: { key: keyOnWire(key, key.createdAtMs), secret } };
});

export const rotateKey = handle('rotateKey', async ({ parameters, body }, context) => {
  const { services, caller, requestId } = context;
  const rotated = await services.access.keys.rotate(parameters.id, body, by(caller, requestId));
  if (rotated === null) throw noKey();
  if (rotated === 'over') throw over();
  const { key, secret, replaced } = rotated;
  const nowMs = key.createdAtMs;
  return {
    status: 201,
    body: { key: keyOnWire(key, nowMs), secret, replaced: keyOnWire(replaced, nowMs) },
  };
});

export const revokeKey = handle('revokeKey', async ({ parameters }, context) => {
  const { services, caller, requestId } = context;
  const key = await services.access.keys.revoke(parameters.id, by(caller, requestId));
  if (key === null) throw noKey();
  return { status: 200, body: { key: keyOnWire(key, key.revokedAtMs ?? 0) } };
});

export function by(caller: Caller, requestId: string) {
  return { actor: actorOf(caller), requestId };
}

function over(): Problem {
  return invalid([{ field: 'expires_at', message: 'must be in the future' }]);
}

function noKey(): Problem {
  return new Problem('not-found', 'There is no such key, or it is revoked.');
}
