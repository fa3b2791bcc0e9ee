import { z } from 'zod';

import type { AccessStore } from '@/lib/access/access-store';
import { actorOf } from '@/lib/access/callers';
import { oidcProvider } from '@/lib/access/oidc';
import { ProviderUnavailable } from '@/lib/access/oidc-discovery';
import { sessionCookie, signInPage, type ServeSignIn } from '@/lib/access/sign-in';
import { passwordField } from '@/lib/contract/access-fields';
import type { FieldError } from '@/lib/contract/problems';
import { returnPath } from '@/lib/contract/return-path';

import { callerOnWire } from '../access-wire';
import { authenticate, requestSource } from '../authenticate';
import { invalid, Problem } from '../problem';
import { hasBody, readJson } from '../read-body';
import { respond } from '../respond';
import { assertWithinLimit, routeForAnybody, type HandlerContext } from '../route';
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
  [`GET /callback/${oidcProvider}`]: comeBack,
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
  const body = { provider: signIn.serveProvider !== null, is_set_up: await store.hasAdmin() };
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
  const passwordHash = await store.passwordHash(email.toLowerCase());
  const answer = await askLibrary(context, { email, password });
  if (answer.ok && passwordHash !== null && (await isKept(answer, passwordHash, store))) {
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
  const to = returnPath(given?.to);
  const { address } = requestSource(request, services);
  assertWithinLimit(services.access.attempts.attemptFrom(address));
  const answer = await askProvider(context, {
    provider: oidcProvider,
    callbackURL: to ?? '/',
    errorCallbackURL: to === null ? signInPage : `${signInPage}?${new URLSearchParams({ to })}`,
    disableRedirect: true,
  });
  if (!answer.ok) throw providerUnavailable();
  const { url } = z.object({ url: z.string() }).parse(await answer.json());
  return withCookies(respond({ status: 200, body: { url } }, context.requestId), answer);
}

/** A person comes back from the provider, by a page load: whatever happens is told on a page. */
async function comeBack(context: Context): Promise<Response> {
  const { services, request, requestId } = context;
  if (services.access.signIn.serveProvider === null) throw noProvider();
  let location = `${signInPage}?error=failed`;
  try {
    const answer = await askProvider(context, null);
    location = answer.headers.get('location') ?? location;
    if (hasSessionIn(answer))
      services.access.attempts.succeededFrom(requestSource(request, services).address);
    return withCookies(respond({ status: 302, headers: { location } }, requestId), answer);
  } catch (error) {
    services.log.error({ err: error, requestId }, 'a sign-in by the provider did not work');
    const isAway = error instanceof Problem && error.code === 'provider-unavailable';
    if (isAway) location = `${signInPage}?error=unavailable`;
    return respond({ status: 302, headers: { location } }, requestId);
  }
}

function hasSessionIn({ headers }: Response): boolean {
  return headers.getSetCookie().some((line) => line.includes(`${sessionCookie}=`));
}

async function askProvider(context: Context, body: unknown): Promise<Response> {
  const { serveProvider } = context.services.access.signIn;
  if (serveProvider === null) throw noProvider();
  try {
    return await ask(serveProvider, context, body);
  } catch (error) {
    throw error instanceof ProviderUnavailable ? providerUnavailable() : error;
  }
}

function noProvider(): Problem {
  return new Problem('not-found', 'This service has no other sign-in.');
}

function providerUnavailable(): Problem {
  const detail =
    'The sign-in at your organisation can not be reached. Try again, or use a password.';
  return new Problem('provider-unavailable', detail, { headers: { 'Retry-After': '5' } });
}

const passwords = z.object({ currentPassword: z.string(), newPassword: passwordField });

/** Counts as an attempt to sign in, since it tells whether a password is right. Ends the other sessions. */
async function changePassword(context: Context): Promise<Response> {
  const { services, request, requestId } = context;
  const caller = await authenticate(request, services);
  if (caller.kind !== 'person') throw new Problem('forbidden', 'A key has no password.');
  const given = passwords.safeParse(await readJson(request, bodyBytesMax));
  if (!given.success) throw invalid(given.error.issues.map(fieldErrorOf));
  const { address } = requestSource(request, services);
  assertWithinLimit(services.access.attempts.attempt(caller.email, address));
  const answer = await askLibrary(context, { ...given.data, revokeOtherSessions: true });
  if (!answer.ok) throw passwordProblemOf(answer.status, await saidBy(answer));
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

function fieldErrorOf({ path, message }: z.core.$ZodIssue): FieldError {
  return { field: path.join('.'), message };
}

function passwordProblemOf(status: number, said: Said): Problem {
  switch (said.code) {
    case 'INVALID_PASSWORD':
      return invalid([{ field: 'currentPassword', message: 'is not your password' }]);
    case 'CREDENTIAL_ACCOUNT_NOT_FOUND':
      return invalid([{ field: 'currentPassword', message: 'is none: you sign in without one' }]);
    case undefined:
    default:
      return problemOf(status, said);
  }
}

/** For what takes no body of interest and answers with cookies alone. */
async function passOn(context: Context): Promise<Response> {
  const { request, requestId } = context;
  if (hasBody(request)) await readJson(request, bodyBytesMax);
  const answer = await askLibrary(context, {});
  if (!answer.ok) throw problemOf(answer.status, await saidBy(answer));
  return withCookies(respond({ status: 204 }, requestId), answer);
}

function assertOwnPage({ request, services }: Context): void {
  const { isTls } = requestSource(request, services);
  assertSameOrigin(request, { isTls, publicOrigin: services.settings.publicOrigin });
}

function askLibrary(context: Context, body: unknown): Promise<Response> {
  return ask(context.services.access.signIn.serve, context, body);
}

/** A request of our own making: of the caller's headers only those that better-auth needs. */
async function ask(serve: ServeSignIn, context: Context, body: unknown): Promise<Response> {
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
  const answer = await serve(asked, isTls);
  if (answer.status >= 500) throw storeFailed();
  return answer;
}

/** The session's token is what stands before the signature in its cookie. */
function isKept(
  answer: Response,
  passwordHash: string,
  store: Pick<AccessStore, 'keepSession'>,
): Promise<boolean> | false {
  const cookie = answer.headers.getSetCookie().find((line) => line.includes(`${sessionCookie}=`));
  const [, value] = /=([^;]*)/.exec(cookie ?? '') ?? [];
  const [token = ''] = decodeURIComponent(value ?? '').split('.', 1);
  return token !== '' && store.keepSession({ token, passwordHash });
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
  const members = await services.access.members.list();
  return respond({ status: 200, body: callerOnWire(person, members) }, requestId);
}

function withCookies(response: Response, from: Response): Response {
  for (const line of from.headers.getSetCookie()) response.headers.append('set-cookie', line);
  return response;
}

const libraryProblem = z.object({ code: z.string().optional(), message: z.string().optional() });
type Said = z.infer<typeof libraryProblem>;

/** What better-auth says of a refusal; nothing where it can't be read. */
async function saidBy(answer: Response): Promise<Said> {
  return libraryProblem.safeParse(await answer.json().catch(() => null)).data ?? {};
}

function problemOf(status: number, said: Said): Problem {
  const message = said.message ?? 'The request was refused';
  switch (status) {
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
