import { genericOAuth, type GenericOAuthConfig } from 'better-auth/plugins';

import { roles, type Role } from '@/lib/contract/access';

/** The company's own sign-in: any provider that speaks OpenID Connect. */
export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where the role stands in the provider's claims: a name, or several with dots between. */
  readonly roleClaim: string;
}

export const oidcProvider = 'oidc';

/** Whoever the provider gives no role may not sign in; with each sign-in the role is taken anew. */
export function oidcPlugin(settings: OidcSettings) {
  const config: GenericOAuthConfig<typeof oidcProvider> = {
    providerId: oidcProvider,
    discoveryUrl: `${settings.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
    clientId: settings.clientId,
    clientSecret: settings.clientSecret,
    scopes: ['openid', 'profile', 'email'],
    requireIdTokenVerification: true,
    overrideUserInfo: true,
    mapProfileToUser: (profile) => {
      const role = roleOfClaim(valueAt(profile, settings.roleClaim));
      if (role === null) throw new NoRole();
      return { role };
    },
  };
  return genericOAuth({ config: [config] });
}

/** The provider knows the person and gives them no role here. */
export class NoRole extends Error {
  override readonly name = 'NoRole';
}

function valueAt(profile: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (value, name) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, name)
          ? Reflect.get(value, name)
          : undefined,
      profile,
    );
}

/** Of several roles the highest counts. */
export function roleOfClaim(claim: unknown): Role | null {
  const named: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  return roles.findLast((role) => named.includes(role)) ?? null;
}
