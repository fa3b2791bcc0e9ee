import type { Caller } from '@/lib/access/callers';
import { sessionCookie } from '@/lib/access/sign-in';
import { sourceOf, type Source } from '@/lib/access/trusted-proxies';
import type { Services } from '@/lib/server/services';

import { connectionOf } from './connection';
import { Problem } from './problem';
import { assertSameOrigin } from './same-origin';

const secretCharactersMax = 512;

/** Whether a request says at all who it is from. */
export function hasCredentials({ headers }: Request): boolean {
  return headers.has('authorization') || hasSession(headers);
}

/**
 * Who calls: by a key if there is an `Authorization` header, else by a session. Who names a key that is not valid is not
 * asked for a session as well.
 *
 * @throws Problem 401; 403 for a session of another site's page.
 */
export function authenticate(request: Request, services: Services): Caller | Promise<Caller> {
  const authorization = request.headers.get('authorization');
  if (authorization === null) return personOf(request, services);
  const secret = bearerOf(authorization);
  if (secret === null) throw unauthenticated();
  const caller = services.access.ring.callerOf(secret);
  if (caller === null) throw unauthenticated();
  if (!(caller instanceof Promise)) return caller;
  return caller.then((found) => {
    if (found === null) throw unauthenticated();
    return found;
  });
}

export function unauthenticated(): Problem {
  return new Problem(
    'unauthenticated',
    'Send a valid API key as Authorization: Bearer hf_…, or sign in.',
    { headers: { 'WWW-Authenticate': 'Bearer realm="holdfast"' } },
  );
}

export function requestSource(request: Request, { settings }: Services): Source {
  return sourceOf(request.headers, connectionOf(request), settings.trustedProxies);
}

async function personOf(request: Request, services: Services): Promise<Caller> {
  if (!hasSession(request.headers)) throw unauthenticated();
  const { isTls } = requestSource(request, services);
  assertSameOrigin(request, { isTls, publicOrigin: services.settings.publicOrigin });
  const person = await services.access.signIn.personOf(request.headers, isTls);
  if (person === null) throw unauthenticated();
  return person;
}

function hasSession(headers: Headers): boolean {
  return headers.get('cookie')?.includes(`${sessionCookie}=`) ?? false;
}

function bearerOf(authorization: string): string | null {
  const [, secret = ''] = /^Bearer +([\x21-\x7e]+)$/i.exec(authorization) ?? [];
  return secret === '' || secret.length > secretCharactersMax ? null : secret;
}
