import type { z } from 'zod';

import type { Access } from './access';
import type { ProblemCode } from './problems';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One row of the table that routes, the OpenAPI document and the tests are made from. */
export interface Endpoint {
  readonly method: Method;
  /** An OpenAPI path template; its file is `app` + the path with `{x}` as `[x]` + `/route.ts`. */
  readonly path: string;
  /** Who may call. The wrapper around the routes enforces it, and nothing else lets anybody in. */
  readonly access: Access;
  readonly summary: string;
  readonly parameters: z.ZodType | null;
  readonly query: z.ZodType | null;
  /** The parameters of the query that may be given more than once: their schemas take arrays. */
  readonly repeats?: readonly string[];
  readonly body: z.ZodType | null;
  readonly isBodyOptional?: boolean;
  readonly bodyBytesMax: number;
  /** Success statuses with their schema; null for an answer without a body. */
  readonly answers: Readonly<Record<number, z.ZodType | null>>;
  /** Of the success, where it is not JSON; its schema is null. */
  readonly contentType?: 'text/csv' | 'text/event-stream' | 'text/plain';
  /** The codes of this endpoint's own; those that any endpoint may answer are in `problemsOfAny`. */
  readonly problems: Readonly<Partial<Record<number, readonly ProblemCode[]>>>;
}

export const bodyBytesMax = 16 * 1024;
export const bulkBodyBytesMax = 512 * 1024;

export function endpoint<
  const T extends Omit<Endpoint, 'bodyBytesMax'> & { bodyBytesMax?: number },
>(row: T) {
  return { bodyBytesMax, ...row };
}

type ProblemTable = Readonly<Partial<Record<number, readonly ProblemCode[]>>>;

/** Any endpoint may answer with these. */
const commonProblems: ProblemTable = {
  403: ['forbidden'],
  405: ['method-not-allowed'],
  422: ['invalid-request'],
  429: ['too-many-requests'],
  500: ['internal'],
  503: ['store-unavailable'],
};

/** Those that want a caller with this as well. */
const callerProblems: ProblemTable = { 401: ['unauthenticated'] };

/** And those that take a body with these. */
const bodyProblems: ProblemTable = {
  400: ['invalid-request'],
  413: ['payload-too-large'],
  415: ['unsupported-media-type'],
};

/** Everything that an endpoint may answer but its successes, by status. */
export function problemsOf({ access, body, problems }: Endpoint): Map<number, ProblemCode[]> {
  const byStatus = new Map<number, ProblemCode[]>();
  const tables: ProblemTable[] = [
    commonProblems,
    access === 'anybody' ? {} : callerProblems,
    body === null ? {} : bodyProblems,
    problems,
  ];
  for (const [status, codes = []] of tables.flatMap((table) => Object.entries(table))) {
    byStatus.set(Number(status), [...(byStatus.get(Number(status)) ?? []), ...codes]);
  }
  return byStatus;
}
