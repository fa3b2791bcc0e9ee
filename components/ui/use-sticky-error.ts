'use client';

import { useState } from 'react';

import { ApiError } from '@/lib/queries/api-error';

interface Reading {
  readonly error: unknown;
  readonly data: unknown;
  readonly isFetching: boolean;
}

/**
 * The error of a query that has no data yet is forgotten each time it tries again; on screen it stays until a try
 * succeeds, so that it neither flickers nor is read out anew.
 */
export function useStickyError({ error, data, isFetching }: Reading): ApiError | null {
  const [kept, setKept] = useState<ApiError | null>(null);
  const now = error instanceof ApiError ? error : null;
  const next = now ?? (data === undefined && isFetching ? kept : null);
  if (next !== kept) setKept(next);
  return next;
}
