import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';

import type { BetterAuthOptions } from 'better-auth';

import { emailField, roleField } from '@/lib/contract/access-fields';

import type { AccessStore, StoredMember } from './access-store';
import { discoverProvider, ProviderUnavailable, type OidcProvider } from './oidc-discovery';

/** What serves a request: better-auth, made for one provider. */
type Serve = (request: Request) => Promise<Response>;

interface ProviderSignInOptions {
  readonly issuer: string;
  readonly make: (provider: OidcProvider, isTls: boolean) => Serve;
  readonly onTrouble: (message: string) => void;
}

const answerMsMax = 9_000;

/**
 * Signing in by another provider, apart from all else: better-auth asks the provider when it is made and waits for it
 * without a bound, and a provider that is down or hangs must keep nobody from signing in by password. So it is made by the
 * first who needs it, once the provider has answered us; until then each asks anew.
 */
export class ProviderSignIn {
  readonly #options: ProviderSignInOptions;
  readonly #made = new Map<boolean, Serve>();

  constructor(options: ProviderSignInOptions) {
    this.#options = options;
  }

  /** @throws ProviderUnavailable */
  async serve(request: Request, isTls: boolean): Promise<Response> {
    try {
      const made = this.#made.get(isTls);
      // Whoever is about to be sent there: better told here than by a browser that finds nothing.
      if (made !== undefined && request.method === 'POST') {
        await discoverProvider(this.#options.issuer);
      }
      const serve = made ?? (await this.#make(isTls));
      const answer = await withinTime(flow.run({ before: null }, () => serve(request)));
      // What better-auth says of a code or a token that is bad, it says as well of a provider that has gone.
      if (hasFailed(answer)) await discoverProvider(this.#options.issuer);
      return answer;
    } catch (error) {
      // Better made anew than kept, should it have hung while it was made.
      this.#made.delete(isTls);
      if (error instanceof ProviderUnavailable) {
        this.#options.onTrouble(`the sign-in provider can not be used: ${reasonOf(error)}`);
      }
      throw error;
    }
  }

  async #make(isTls: boolean): Promise<Serve> {
    const { issuer, make } = this.#options;
    const serve = make(await discoverProvider(issuer), isTls);
    this.#made.set(isTls, serve);
    return serve;
  }
}

function hasFailed({ status, headers }: Response): boolean {
  const failures = /[?&]error=(?:invalid_code|unable_to_get_user_info)(?:&|$)/;
  return status >= 500 || failures.test(headers.get('location') ?? '');
}

function reasonOf({ message, cause }: ProviderUnavailable): string {
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}

async function withinTime(answer: Promise<Response>): Promise<Response> {
  const timer = new AbortController();
  const late = delay(answerMsMax, undefined, { signal: timer.signal }).then(() => {
    throw new ProviderUnavailable('it did not answer in time');
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([answer, late]);
  } finally {
    timer.abort();
  }
}

/** What is known of one sign-in on its way through better-auth, which hands nothing of ours from step to step. */
const flow = new AsyncLocalStorage<{ before: StoredMember | null }>();

type Members = Pick<AccessStore, 'members' | 'noteEvent'>;

/** Who may come in. better-auth asks before it adds or changes anybody, and sends the word along to the sign-in page. */
export function admission(
  store: Members,
): NonNullable<NonNullable<BetterAuthOptions['user']>['validateUserInfo']> {
  return async ({ user, source }) => {
    if (source.method !== 'oauth') return;
    if (!roleField.safeParse(user['role']).success) return { error: 'no_role' };
    const email = emailField.safeParse(user.email).data;
    if (email === undefined) return { error: 'email_not_found' };
    const members = await store.members();
    const before = members.find(({ id }) => id === user.id) ?? null;
    const namesake = members.find((member) => member.email === email);
    // The provider has given the person a new address, and somebody else has it here.
    if (namesake !== undefined && namesake.id !== before?.id) {
      return { error: 'account_not_linked' };
    }
    const current = flow.getStore();
    if (current !== undefined) current.before = before;
    return;
  };
}

/** Puts on record what the provider has changed about a member that was here before. */
export async function noteChange(
  store: Members,
  user: { readonly email: string; readonly role?: unknown },
  requestId: string | null,
): Promise<void> {
  const before = flow.getStore()?.before ?? null;
  if (before === null) return;
  const changes = [
    ...(before.email === user.email ? [] : [`address ${before.email} to ${user.email}`]),
    ...(before.role === user.role ? [] : [`role ${before.role} to ${String(user.role)}`]),
  ];
  if (changes.length === 0) return;
  await store.noteEvent({
    kind: 'member_changed',
    actor: user.email,
    subject: user.email,
    client: null,
    reason: `${changes.join(', ')}, by the provider`,
    requestId,
  });
}
