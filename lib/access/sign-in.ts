import { betterAuth, type BetterAuthOptions } from 'better-auth';
import { prismaAdapter } from 'better-auth/adapters/prisma';
import { z } from 'zod';

import { roles } from '@/lib/contract/access';
import { passwordCharactersMin } from '@/lib/contract/access-fields';
import { StoreUnavailable } from '@/lib/locks/errors';

import type { AccessStore } from './access-store';
import type { PersonCaller } from './callers';
import { oidcPlugin, type OidcSettings } from './oidc';
import { hashPassword, isPassword } from './passwords';

export interface SignInOptions {
  readonly store: Pick<AccessStore, 'members' | 'noteEvent'>;
  /** A Prisma client whose models have the names that `lib/store` gives them. */
  readonly prisma: object;
  readonly dialect: 'sqlite' | 'postgresql';
  /** Signs the cookies; at least 32 characters. */
  readonly secret: string;
  readonly publicUrl: string | null;
  readonly sessionSeconds: number;
  readonly oidc: OidcSettings | null;
  readonly onTrouble: (message: string) => void;
}

/** Sessions of people, by better-auth. */
export interface SignIn {
  /**
   * Who has signed in, by the cookie of a request; null if nobody. Read from the store each time, so that a session that
   * was ended or a role that was changed counts at once, on every instance.
   *
   * @throws StoreUnavailable
   */
  personOf(headers: Headers, isTls: boolean): Promise<PersonCaller | null>;
  /** Serves a route of better-auth. Origin, limits and which routes there are, are the caller's to check. */
  serve(request: Request, isTls: boolean): Promise<Response>;
  /** Whether people may also come from another provider. */
  readonly hasProvider: boolean;
}

const cookiePrefix = 'holdfast';
export const sessionCookie = `${cookiePrefix}.session_token`;

export function createSignIn(options: SignInOptions): SignIn {
  // Whether cookies are for TLS alone is fixed when better-auth is made, and differs from request to request.
  const plain = authOf(options, false);
  const secure = authOf(options, true);
  const authFor = (isTls: boolean) => (isTls ? secure : plain);

  return {
    async personOf(headers, isTls) {
      const found = await readSession(authFor(isTls), headers);
      return found === null ? null : personCaller.parse(found);
    },
    serve: (request, isTls) => authFor(isTls).handler(request),
    hasProvider: options.oidc !== null,
  };
}

type Auth = ReturnType<typeof authOf>;

async function readSession(auth: Auth, headers: Headers) {
  try {
    return await auth.api.getSession({ headers, query: { disableRefresh: true } });
  } catch (error) {
    throw new StoreUnavailable('The session could not be read', { cause: error });
  }
}

const personCaller = z
  .object({
    user: z.object({ id: z.string(), name: z.string(), email: z.string(), role: z.enum(roles) }),
    session: z.object({ expiresAt: z.date() }),
  })
  .transform(({ user, session }): PersonCaller => ({
    kind: 'person',
    id: user.id,
    name: user.name,
    email: user.email,
    role: user.role,
    sessionExpiresAtMs: session.expiresAt.getTime(),
  }));

function authOf(options: SignInOptions, isTls: boolean) {
  const { prisma, dialect, secret, publicUrl, sessionSeconds, oidc } = options;
  return betterAuth({
    database: prismaAdapter(prisma, { provider: dialect }),
    secret,
    baseURL: publicUrl ?? 'http://localhost',
    basePath: '/api/auth',
    telemetry: { enabled: false },
    logger: loggerOf(options),
    // The wrapper around the routes limits attempts and checks the origin, by what it knows of the connection.
    rateLimit: { enabled: false },
    advanced: {
      cookiePrefix,
      useSecureCookies: isTls,
      disableOriginCheck: true,
      disableCSRFCheck: true,
      ipAddress: { disableIpTracking: true },
    },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: passwordCharactersMin,
      maxPasswordLength: 256,
      password: { hash: hashPassword, verify: ({ hash, password }) => isPassword(hash, password) },
    },
    // From sign-in to sign-out or the end, without being drawn out.
    session: {
      modelName: 'session',
      fields: { userId: 'memberId' },
      expiresIn: sessionSeconds,
      disableSessionRefresh: true,
    },
    user: {
      modelName: 'member',
      additionalFields: {
        role: { type: 'string', required: true, defaultValue: 'viewer', input: false },
      },
    },
    account: {
      modelName: 'account',
      fields: { userId: 'memberId' },
      // An address that the provider asserts must not open the account of a member with a password.
      accountLinking: { enabled: false },
      encryptOAuthTokens: true,
    },
    verification: { modelName: 'verification' },
    databaseHooks: hooksOf(options),
    plugins: oidc === null ? [] : [oidcPlugin(oidc)],
  });
}

/** Only what happened: the arguments may hold what somebody typed. */
function loggerOf({ onTrouble }: SignInOptions): NonNullable<BetterAuthOptions['logger']> {
  return {
    level: 'error',
    log: (level, message) => {
      if (level === 'error') onTrouble(message);
    },
  };
}

/** A sign-in is on record whichever way it was made; a session that only follows another is none. */
function hooksOf({ store }: SignInOptions): NonNullable<BetterAuthOptions['databaseHooks']> {
  const memberOf = async (id: string) =>
    (await store.members()).find((member) => member.id === id)?.email ?? 'an unknown member';
  return {
    session: {
      create: {
        after: async ({ userId }, context) => {
          if (!/^\/(?:sign-in|callback)\//.test(context?.path ?? '')) return;
          const email = await memberOf(userId);
          await store.noteEvent({
            kind: 'signed_in',
            actor: email,
            subject: email,
            client: null,
            reason: null,
            requestId: context?.headers?.get('x-request-id') ?? null,
          });
        },
      },
    },
    user: {
      create: {
        after: async ({ email }) => {
          await store.noteEvent({
            kind: 'member_added',
            actor: email,
            subject: email,
            client: null,
            reason: 'first sign-in at the provider',
            requestId: null,
          });
        },
      },
    },
  };
}
