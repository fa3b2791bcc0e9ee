import { z } from 'zod';

import { actorOf } from '@/lib/access/callers';
import { oidcProvider } from '@/lib/access/oidc';
import { returnPath } from '@/lib/contract/return-path';

import { callerOnWire } from '../access-wire';
import { authenticate, requestSource } from '../authenticate';
import { Problem } from '../problem';
import { hasBody, readJson } from '../read-body';
import { assertWithinLimit, respond, routeForAnybody, type HandlerContext } from '../route';
import { assertSameOrigin, isReading } from '../same-origin';

/**
 * The routes of better-auth that are open, and what must be true before it is asked: the origin, the limits, and a body
 * of ours. What it answers is put into this API's words, without the session's token, which is for the cookie alone.
 */

type Context = Omit<HandlerContext, 'caller'>;

const bodyBytesMax = 16 * 1024;
const base = '/api/auth';

const openRoutes: Readonly<Record<string, (context: Context) => Promise<Response>>> = {
  'GET /ways': tellWays,
  'POST /sign-in/email': signInByPassword,
  'POST /sign-in/social': signInByProvider,
  [`GET /callback/${oidcProvider}`]: (context) => askLibrary(context, null),
  'POST /sign-out': (context) => passOn(context),
  'POST /change-password': changePassword,
  'POST /revoke-sessions': (context) => passOn(context),
  'POST /revoke-other-sessions': (context) => passOn(context),
};

export const serveAuth = routeForAnybody((context) => {
  const { method } = context.request;
  const path = new URL(context.request.url).pathname.slice(base.length);
  const serve = openRoutes[`${method} ${path}`];
  if (serve === undefined) throw new Problem('not-found', 'There is no such route for signing in.');
  if (!isReading(method)) assertOwnPage(context);
  return serve(context);
});

/** For the sign-in page: which ways there are, and whether anybody can have come by one. */
async function tellWays({ services, requestId }: Context): Promise<Response> {
  const { signIn, store } = services.access;
  const body = { provider: signIn.hasProvider, is_set_up: await store.hasAdmin() };
  return respond({ status: 200, body }, requestId);
}

const credentials = z.object({ email: z.string(), password: z.string() });

/** A wrong password is slow, counted, and on record; what was typed is not, as it may be a password. */
async function signInByPassword(context: Context): Promise<Response> {
  const { services, request, requestId } = context;
  const { attempts, store } = services.access;
  const given = credentials.safeParse(await readJson(request, bodyBytesMax));
  if (!given.success) {
    throw new Problem('invalid-request', 'Send email and password.', {
      status: 422,
      extras: { errors: [{ field: 'email', message: 'is required, and a password' }] },
    });
  }
  const { email, password } = given.data;
  const { address } = requestSource(request, services);
  assertWithinLimit(attempts.attempt(email, address));
  const answer = await askLibrary(context, { email, password });
  if (answer.ok) {
    attempts.succeeded(email, address);
    return withCookies(await meOf(context, answer), answer);
  }
  if (answer.status >= 500) throw storeFailed();
  const known = (await store.members()).find((member) => member.email === email.toLowerCase());
  await store.noteEvent({
    kind: 'sign_in_failed',
    actor: known?.email ?? 'unknown',
    subject: known?.email ?? 'an unknown address',
    client: null,
    reason: address === null ? null : `from ${address}`,
    requestId,
  });
  throw new Problem('unauthenticated', 'E-mail address or password is wrong.');
}

const destination = z.object({ to: z.string().optional() });

/** Where the person goes on is checked here: better-auth's own check is off, and would allow more. */
async function signInByProvider(context: Context): Promise<Response> {
  const { services, request } = context;
  const given = hasBody(request)
    ? destination.safeParse(await readJson(request, bodyBytesMax)).data
    : undefined;
  const { address } = requestSource(request, services);
  assertWithinLimit(services.access.attempts.attemptFrom(address));
  const answer = await askLibrary(context, {
    provider: oidcProvider,
    callbackURL: returnPath(given?.to) ?? '/',
    errorCallbackURL: '/sign-in',
    disableRedirect: true,
  });
  if (!answer.ok) throw new Problem('not-found', 'This service has no other sign-in.');
  const { url } = z.object({ url: z.string() }).parse(await answer.json());
  return withCookies(respond({ status: 200, body: { url } }, context.requestId), answer);
}

const passwords = z.object({ currentPassword: z.string(), newPassword: z.string() });

/** Counts as an attempt to sign in, since it tells whether a password is right. Ends the other sessions. */
async function changePassword(context: Context): Promise<Response> {
  const { services, request, requestId } = context;
  const body = await readJson(request, bodyBytesMax);
  const caller = await authenticate(request, services);
  if (caller.kind !== 'person') throw new Problem('forbidden', 'A key has no password.');
  const given = passwords.safeParse(body);
  if (!given.success) {
    throw new Problem('invalid-request', 'Send currentPassword and newPassword.', {
      extras: { errors: [{ field: 'newPassword', message: 'is required, with currentPassword' }] },
    });
  }
  const { address } = requestSource(request, services);
  assertWithinLimit(services.access.attempts.attempt(caller.email, address));
  const answer = await askLibrary(context, { ...given.data, revokeOtherSessions: true });
  if (!answer.ok) throw await problemOf(answer);
  services.access.attempts.succeeded(caller.email, address);
  await services.access.store.noteEvent({
    kind: 'member_changed',
    actor: actorOf(caller),
    subject: caller.email,
    client: null,
    reason: 'password changed',
    requestId,
  });
  return withCookies(respond({ status: 204 }, requestId), answer);
}

/** For what takes no body of interest and answers with cookies alone. */
async function passOn(context: Context): Promise<Response> {
  const { request, requestId } = context;
  if (hasBody(request)) await readJson(request, bodyBytesMax);
  const answer = await askLibrary(context, {});
  if (!answer.ok) throw await problemOf(answer);
  return withCookies(respond({ status: 204 }, requestId), answer);
}

function assertOwnPage({ request, services }: Context): void {
  const { isTls } = requestSource(request, services);
  assertSameOrigin(request, { isTls, publicOrigin: services.settings.publicOrigin });
}

/** A request of our own making: of the caller's headers only those that better-auth needs. */
async function askLibrary(context: Context, body: unknown): Promise<Response> {
  const { request, services, requestId } = context;
  const { isTls } = requestSource(request, services);
  const headers = new Headers({ 'x-request-id': requestId });
  const cookie = request.headers.get('cookie');
  if (cookie !== null) headers.set('cookie', cookie);
  if (body !== null) headers.set('content-type', 'application/json');
  const asked = new Request(request.url, {
    method: request.method,
    headers,
    ...(body === null ? {} : { body: JSON.stringify(body) }),
  });
  const answer = await services.access.signIn.serve(asked, isTls);
  if (answer.status >= 500) throw storeFailed();
  return answer;
}

/** Who has just signed in: read back by the cookie that was set. */
async function meOf(context: Context, answer: Response): Promise<Response> {
  const { services, request, requestId } = context;
  const cookie = answer.headers
    .getSetCookie()
    .map((line) => line.split(';', 1).join())
    .join('; ');
  const { isTls } = requestSource(request, services);
  const person = await services.access.signIn.personOf(new Headers({ cookie }), isTls);
  if (person === null) throw storeFailed();
  return respond({ status: 200, body: callerOnWire(person) }, requestId);
}

function withCookies(response: Response, from: Response): Response {
  for (const line of from.headers.getSetCookie()) response.headers.append('set-cookie', line);
  return response;
}

const libraryProblem = z.object({ code: z.string().optional(), message: z.string().optional() });

async function problemOf(answer: Response): Promise<Problem> {
  const said = libraryProblem.safeParse(await answer.json().catch(() => null));
  const message = said.data?.message ?? 'The request was refused';
  switch (answer.status) {
    case 401:
      return new Problem('unauthenticated', 'Sign in first.');
    case 404:
      return new Problem('not-found', `${message}.`);
    default:
      return new Problem('invalid-request', `${message}.`, {
        status: 422,
        extras: { errors: [{ field: 'body', message }] },
      });
  }
}

function storeFailed(): Problem {
  return new Problem('store-unavailable', 'Signing in does not work right now. Try again.', {
    headers: { 'Retry-After': '1' },
  });
}
