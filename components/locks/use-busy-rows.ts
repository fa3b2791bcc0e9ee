'use client';

import { useMutationState } from '@tanstack/react-query';

import type { LockOnWire } from '@/lib/contract/answers';
import { releaseKey, type ReleaseRequest } from '@/lib/queries/release-lock';

import type { RowBusy } from './lock-row';

/** Which rows a release or a clear is under way for; they keep their data until the server has answered. */
export function useBusyRows(): (lock: LockOnWire) => RowBusy {
  const pending = useMutationState({
    filters: { mutationKey: releaseKey, status: 'pending' },
    select: ({ state }) => releaseRequestOf(state.variables),
  });
  return (lock) => {
    const request = pending.find(
      (sent) =>
        sent?.seen.resource === lock.resource && sent.seen.fencing_token === lock.fencing_token,
    );
    if (request === undefined) return null;
    return request.onlyExpired ? 'clearing' : 'releasing';
  };
}

/** The cache holds what the mutation was called with as `unknown`; only releases are kept under this key. */
function releaseRequestOf(variables: unknown): ReleaseRequest | undefined {
  return variables as ReleaseRequest | undefined;
}
