import { mutationOptions, queryOptions } from '@tanstack/react-query';
import { z } from 'zod';

import {
  linkAnswer,
  meAnswer,
  oneMemberAnswer,
  signInWaysAnswer,
} from '../contract/access-answers';
import { fetchJson } from './fetch-json';

/**
 * Signing in and out, and the one-time links. A wrong password is slow on purpose, so these wait longer than reads. That
 * they are refused says nothing about a session, which `meta` tells the watch over sessions.
 */
const timeoutMs = 20_000;
const meta = { isSignIn: true };

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** Which ways to sign in there are. */
export const signInWaysOptions = queryOptions({
  queryKey: ['sign-in-ways'],
  queryFn: ({ signal }) => fetchJson('/api/auth/ways', { schema: signInWaysAnswer, signal }),
  networkMode: 'always',
  staleTime: 60_000,
  retry: 2,
});

export const signInOptions = mutationOptions({
  mutationKey: ['sign-in'],
  networkMode: 'always',
  meta,
  mutationFn: signIn,
});

/** The answer is where to go: to the provider, which sends the person back to `to`. */
export const signInByProviderOptions = mutationOptions({
  mutationKey: ['sign-in-by-provider'],
  networkMode: 'always',
  meta,
  mutationFn: ({ to }: { readonly to: string }) => {
    const schema = z.strictObject({ url: z.url({ protocol: /^https?$/ }) });
    return fetchJson('/api/auth/sign-in/social', { schema, method: 'POST', body: { to } });
  },
});

export const signOutOptions = mutationOptions({
  mutationKey: ['sign-out'],
  networkMode: 'always',
  meta,
  mutationFn: () =>
    fetchJson('/api/auth/sign-out', { schema: z.null(), method: 'POST', body: {}, timeoutMs }),
});

/** What a one-time link is for. Its token goes into a body, so that no log of a path has it. */
export function linkOptions(token: string) {
  return queryOptions({
    queryKey: ['set-up-link', token],
    queryFn: ({ signal }) =>
      fetchJson('/api/set-up/link', {
        schema: linkAnswer,
        method: 'POST',
        body: { token },
        signal,
      }),
    networkMode: 'always',
    retry: false,
    staleTime: Infinity,
    gcTime: 0,
    meta,
  });
}

export interface SetUpRequest {
  readonly token: string;
  readonly password: string;
  /** For the first admin, who is not known yet. */
  readonly email: string | null;
}

/** Sets the password, which uses the link up. */
export const setUpOptions = mutationOptions({
  mutationKey: ['set-up'],
  networkMode: 'always',
  meta,
  mutationFn: ({ token, password, email }: SetUpRequest) =>
    fetchJson('/api/set-up', {
      schema: oneMemberAnswer,
      method: 'POST',
      body: { token, password, ...(email === null ? {} : { email }) },
      timeoutMs,
    }),
});

function signIn(credentials: Credentials) {
  return fetchJson('/api/auth/sign-in/email', {
    schema: meAnswer,
    method: 'POST',
    body: credentials,
    timeoutMs,
  });
}

export interface PasswordChange {
  readonly currentPassword: string;
  readonly newPassword: string;
}

/** Ends the other sessions. A refusal here may well say that this session is over, and is watched as any other. */
export const changePasswordOptions = mutationOptions({
  networkMode: 'always',
  gcTime: 0,
  mutationFn: (body: PasswordChange) =>
    fetchJson('/api/auth/change-password', { schema: z.null(), method: 'POST', body, timeoutMs }),
});
