import { genericOAuth, type GenericOAuthConfig } from 'better-auth/plugins';
import { z } from 'zod';

import { roles, type Role } from '@/lib/contract/access';
import { personNameField } from '@/lib/contract/access-fields';

import { discoveryUrl, profileMsMax, type OidcProvider } from './oidc-discovery';

/** The company's own sign-in: any provider that speaks OpenID Connect. */
export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where the role stands in the provider's claims: a name, or several with dots between. */
  readonly roleClaim: string;
}

export const oidcProvider = 'oidc';

/** With each sign-in the role is taken anew; whoever has none is turned away in `provider-sign-in.ts`. */
export function oidcPlugin(settings: OidcSettings, provider: OidcProvider) {
  const config: GenericOAuthConfig<typeof oidcProvider> = {
    providerId: oidcProvider,
    discoveryUrl: discoveryUrl(settings.issuer),
    clientId: settings.clientId,
    clientSecret: settings.clientSecret,
    scopes: ['openid', 'profile', 'email'],
    requireIdTokenVerification: true,
    overrideUserInfo: true,
    accountSubject: ({ profile }) => profile.sub ?? '',
    getUserInfo: (tokens) => profileOf(tokens, provider),
    mapProfileToUser: (profile) => ({
      name: nameOf(profile),
      role: roleOfClaim(valueAt(profile, settings.roleClaim)),
    }),
  };
  return genericOAuth({ config: [config] });
}

const claims = z.looseObject({ sub: z.string().min(1), email: z.string().optional() });

interface Tokens {
  readonly idToken?: string | undefined;
  readonly accessToken?: string | undefined;
}

/**
 * Who has come: what the ID token says, whose signature, issuer, audience and nonce better-auth has checked by now, and
 * beside it what the provider tells at its userinfo endpoint alone. Without an ID token there is nobody.
 */
async function profileOf({ idToken, accessToken }: Tokens, { userInfoUrl }: OidcProvider) {
  const own = claims.safeParse(payloadOf(idToken ?? '')).data;
  if (own === undefined) return null;
  const told =
    userInfoUrl === null || accessToken === undefined
      ? null
      : await readUserInfo(userInfoUrl, accessToken);
  // The access token may be another person's: only the same subject adds to the profile.
  const profile = told?.sub === own.sub ? { ...told, ...own } : own;
  return {
    ...profile,
    emailVerified: profile['email_verified'] === true,
    image: undefined,
    name: undefined,
    givenName: profile['name'],
  };
}

async function readUserInfo(url: string, accessToken: string) {
  const answer = await fetch(url, {
    headers: { authorization: `Bearer ${accessToken}` },
    redirect: 'error',
    signal: AbortSignal.timeout(profileMsMax),
  });
  // Some answer with a signed token, which says no more than the ID token.
  if (!answer.ok) return null;
  const body: unknown = await answer.json().catch(() => null);
  return claims.safeParse(body).data ?? null;
}

function payloadOf(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  } catch {
    return null;
  }
}

/** How the dashboard greets them; of a provider that tells no usable name, what stands before the @. */
function nameOf(profile: Readonly<Record<string, unknown>>): string {
  const told = [profile['givenName'], profile['preferred_username']]
    .map((name) => personNameField.safeParse(name).data)
    .find((name) => name !== undefined);
  const email = profile['email'];
  return told ?? (typeof email === 'string' ? email.split('@', 1).join() : '');
}

/** A claim may have dots in its own name, as those that are URLs have: the whole name counts first. */
function valueAt(profile: unknown, path: string): unknown {
  const whole = ownValue(profile, path);
  return whole === undefined ? path.split('.').reduce(ownValue, profile) : whole;
}

function ownValue(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

/** Of several roles the highest counts. */
function roleOfClaim(claim: unknown): Role | null {
  const named: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  return roles.findLast((role) => named.includes(role)) ?? null;
}
