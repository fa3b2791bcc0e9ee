import { mutationOptions, queryOptions } from '@tanstack/react-query';

import type { Scope } from '../contract/access';
import {
  keysAnswer,
  newKeyAnswer,
  oneKeyAnswer,
  rotatedKeyAnswer,
  type KeyOnWire,
} from '../contract/access-answers';
import { listAnswer } from '../contract/answers';
import { ApiError, isOutcomeUnknown } from './api-error';
import { fetchJson } from './fetch-json';
import { withQuery } from './paths';
import { pollingOptions, type Polling } from './polling';
import { anchorOf, type ServerAnchor } from './server-anchor';

/** All keys at one moment, newest first. */
export interface KeysSighting {
  readonly keys: readonly KeyOnWire[];
  readonly anchor: ServerAnchor;
}

export const keysQueryKey = ['api-keys'] as const;

export function keysOptions(polling: Polling) {
  return queryOptions({
    ...pollingOptions(polling),
    queryKey: keysQueryKey,
    queryFn: ({ signal }) => fetchKeys(signal),
  });
}

async function fetchKeys(signal?: AbortSignal): Promise<KeysSighting> {
  const { keys, now } = await fetchJson('/api/keys', { schema: keysAnswer, signal });
  return { keys, anchor: anchorOf(now) };
}

export interface NewKeyRequest {
  readonly name: string;
  readonly client: string;
  readonly scopes: readonly Scope[];
  readonly patterns: readonly string[];
  readonly expires_at: string | null;
}

/** A secret comes with the answer and never again, so an answer that got lost is not asked for a second time. */
export const createKeyOptions = mutationOptions({
  networkMode: 'always',
  gcTime: 0,
  mutationFn: (body: NewKeyRequest) =>
    fetchJson('/api/keys', { schema: newKeyAnswer, method: 'POST', body }),
});

export interface RotateRequest {
  readonly id: string;
  readonly overlapSeconds: number;
  /** Undefined for that of the key so far. */
  readonly expiresAt: string | null | undefined;
}

export const rotateKeyOptions = mutationOptions({
  networkMode: 'always',
  gcTime: 0,
  mutationFn: ({ id, overlapSeconds, expiresAt }: RotateRequest) =>
    fetchJson(`/api/keys/${encodeURIComponent(id)}/rotate`, {
      schema: rotatedKeyAnswer,
      method: 'POST',
      body: { overlap_seconds: overlapSeconds, expires_at: expiresAt },
    }),
});

/** To revoke twice is harmless; of an answer that got lost the list tells. @throws ApiError */
export const revokeKeyOptions = mutationOptions({
  networkMode: 'always',
  mutationFn: async (id: string): Promise<KeyOnWire> => {
    const path = `/api/keys/${encodeURIComponent(id)}`;
    try {
      return (await fetchJson(path, { schema: oneKeyAnswer, method: 'DELETE' })).key;
    } catch (error) {
      if (!(error instanceof ApiError) || !isOutcomeUnknown(error)) throw error;
      const { keys } = await fetchKeys().catch(() => ({ keys: [] }));
      const key = keys.find((known) => known.id === id);
      if (key?.state !== 'revoked') throw error;
      return key;
    }
  },
});

/** What a client holds: how many locks, and how long the last of them lasts without renewal. */
export interface ClientLocks {
  readonly count: number;
  readonly isCapped: boolean;
  readonly endsAtMs: number | null;
}

/** Under an open question about a key of the client: asked for anew, for its text depends on it. */
export function clientLocksOptions(client: string) {
  return queryOptions({
    queryKey: ['client-locks', client],
    queryFn: async ({ signal }): Promise<ClientLocks> => {
      const query = { client, state: 'active', sort: '-expires_at', limit: 1 };
      const path = withQuery('/api/locks', query);
      const { locks, counts, counts_capped } = await fetchJson(path, {
        schema: listAnswer,
        signal,
      });
      const [last] = locks;
      const endsAtMs = last === undefined ? null : Date.parse(last.expires_at);
      return { count: counts.active, isCapped: counts_capped, endsAtMs };
    },
    retry: false,
    staleTime: 0,
    networkMode: 'always',
    refetchInterval: 2_000,
  });
}
