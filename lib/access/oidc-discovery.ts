import { z } from 'zod';

/** What a provider says of itself, as far as it is used here. */
export interface OidcProvider {
  readonly userInfoUrl: string | null;
}

/** The provider does not answer, or is not the one that was meant: nobody can sign in by it right now. */
export class ProviderUnavailable extends Error {
  override readonly name = 'ProviderUnavailable';
}

const discoveryMsMax = 5_000;
export const profileMsMax = 5_000;

const endpoint = z.url({ protocol: /^https?$/ });
const document = z.object({
  issuer: z.string(),
  authorization_endpoint: endpoint,
  token_endpoint: endpoint,
  jwks_uri: endpoint,
  userinfo_endpoint: endpoint.optional(),
});

export function discoveryUrl(issuer: string): string {
  return `${withoutSlash(issuer)}/.well-known/openid-configuration`;
}

/**
 * Asks the provider what it is. The issuer that it names must be the one that was set: the tokens are checked against it.
 *
 * @throws ProviderUnavailable
 */
export async function discoverProvider(issuer: string): Promise<OidcProvider> {
  const found = document.safeParse(await readDocument(discoveryUrl(issuer)));
  if (!found.success) {
    throw new ProviderUnavailable('the answer is no discovery document of OpenID Connect', {
      cause: found.error,
    });
  }
  if (withoutSlash(found.data.issuer) !== withoutSlash(issuer)) {
    throw new ProviderUnavailable(
      `it says that its issuer is ${found.data.issuer}, and HOLDFAST_OIDC_ISSUER is ${issuer}`,
    );
  }
  return { userInfoUrl: found.data.userinfo_endpoint ?? null };
}

async function readDocument(url: string): Promise<unknown> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(discoveryMsMax) });
    if (answer.ok) return await answer.json();
    throw new Error(`it answered ${answer.status}`);
  } catch (cause) {
    throw new ProviderUnavailable(`${url} could not be read`, { cause });
  }
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, '');
}
