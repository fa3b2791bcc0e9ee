import { createApi, type Api } from './api';
import { testAdmin } from './callers';
import { send, type RawAnswer } from './http';

/** People as a browser signs them in: a cookie, and an `Origin` with every write. */

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

export interface Address {
  readonly url: string;
}

export function originOf({ url }: Address): string {
  return new URL(url).origin;
}

/** @returns the answer to a sign-in, whatever it is. */
export function trySignIn(
  server: Address,
  credentials: Credentials,
  headers: Readonly<Record<string, string | readonly string[]>> = {},
): Promise<RawAnswer> {
  return send(server.url, {
    method: 'POST',
    path: '/api/auth/sign-in/email',
    headers: { 'content-type': 'application/json', origin: originOf(server), ...headers },
    body: JSON.stringify(credentials),
  });
}

/** The cookies that an answer sets, as the next request sends them. */
export function cookieOf(answer: RawAnswer): string {
  return (answer.headers['set-cookie'] ?? []).map((line) => line.split(';', 1).join()).join('; ');
}

/** Signs in, and fails the test if that is refused. @returns the headers of a browser that has done so. */
export async function signIn(
  server: Address,
  credentials: Credentials = testAdmin,
): Promise<{ readonly cookie: string; readonly origin: string }> {
  const answer = await trySignIn(server, credentials);
  if (answer.status !== 200)
    throw new Error(`Signing in answered ${answer.status}: ${answer.body}`);
  return { cookie: cookieOf(answer), origin: originOf(server) };
}

/** Adds a member by the link that the admin hands over, and signs them in. */
export async function addMember(
  server: Address,
  admin: Api,
  {
    email,
    role,
    password = 'another long password',
  }: { email: string; role: string; password?: string },
): Promise<{
  readonly id: string;
  readonly headers: { cookie: string; origin: string };
  readonly api: Api;
}> {
  const invited = await admin.call('inviteMember', { body: { email, role } });
  const { link, member } = invited.value();
  const token = new URL(link).hash.slice(1);
  const anybody = createApi(server, {});
  (await anybody.call('redeemLink', { body: { token, password } })).value();
  const headers = await signIn(server, { email, password });
  return { id: member.id, headers, api: createApi(server, headers) };
}
