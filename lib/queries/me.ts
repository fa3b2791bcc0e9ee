import { queryOptions } from '@tanstack/react-query';

import { meAnswer } from '../contract/access-answers';
import { fetchJson } from './fetch-json';

/** Who is signed in here, and what they may do. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => fetchJson('/api/me', { schema: meAnswer, signal }),
  retry: false,
  staleTime: 10_000,
  networkMode: 'always',
});
