import { parsePattern } from '@/lib/locks/patterns';

import type { AccessStore } from './access-store';
import { CallLimits } from './call-limits';
import { KeyRing } from './key-ring';
import { Keys } from './keys';
import { Members } from './members';
import { createSignIn, type SignIn, type SignInOptions } from './sign-in';
import { SignInLimits } from './sign-in-limits';

export interface AccessOptions extends Omit<SignInOptions, 'store' | 'onTrouble'> {
  readonly store: AccessStore;
  /** The key of the environment; null for none. */
  readonly apiKey: string | null;
  readonly callsPerSecond: number;
  readonly monotonicMs: () => number;
  /** @param error null if what is said is all there is to know. */
  readonly onTrouble: (message: string, error: unknown) => void;
}

/** Who may call, and how often: everything about access that a process has one of. */
export interface AccessControl {
  readonly store: AccessStore;
  readonly ring: KeyRing;
  readonly keys: Keys;
  readonly members: Members;
  readonly signIn: SignIn;
  readonly calls: CallLimits;
  readonly attempts: SignInLimits;
  close(): Promise<void>;
}

/** Reads the keys for the first time. @throws StoreUnavailable */
export async function openAccess(options: AccessOptions): Promise<AccessControl> {
  const { store, monotonicMs, apiKey, onTrouble } = options;
  const ring = new KeyRing({
    store,
    monotonicMs,
    fixed: apiKey === null ? null : { secret: apiKey, caller: environmentKey },
    onTrouble: (error) =>
      onTrouble(
        'the keys can not be read: those that are known work for a few seconds more',
        error,
      ),
  });
  await ring.start();
  return {
    store,
    ring,
    keys: new Keys(store, ring),
    members: new Members(store),
    signIn: createSignIn({ ...options, onTrouble: (message) => onTrouble(message, null) }),
    calls: new CallLimits(options.callsPerSecond, monotonicMs),
    attempts: new SignInLimits(monotonicMs),
    close: () => ring.close(),
  };
}

/** `HOLDFAST_API_KEY`: every scope, on every resource. */
const environmentKey = {
  kind: 'key',
  keyId: 'env',
  name: 'env',
  client: 'env',
  scopes: ['acquire', 'read', 'operate'],
  patterns: [parsePattern('*')],
  expiresAtMs: null,
} as const;
