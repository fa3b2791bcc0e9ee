import type { z } from 'zod';

import { problemAnswer } from '../contract/problems';
import { ApiError } from './api-error';
import { parseAnswer } from './parse-answer';

interface FetchJsonOptions<T> {
  readonly schema: z.ZodType<T>;
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  /** How long to wait for the whole answer, in milliseconds. */
  readonly timeoutMs?: number;
  /** Sent as `X-Request-Id`, so that what this request did can be recognised in the history. */
  readonly requestId?: string;
}

const timeoutMsDefault = 10_000;

/**
 * The one fetch of the dashboard.
 *
 * @throws ApiError for a problem, a timeout, a broken connection or an answer that isn't the contract's; the caller's
 *   own abort passes through as it is.
 */
export async function fetchJson<T>(path: string, options: FetchJsonOptions<T>): Promise<T> {
  const { schema, method = 'GET', body, signal, timeoutMs = timeoutMsDefault } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  const headers = new Headers({ accept: 'application/json' });
  if (body !== undefined) headers.set('content-type', 'application/json');
  if (options.requestId !== undefined) headers.set('x-request-id', options.requestId);

  let response: Response;
  let text: string;
  try {
    response = await fetch(path, {
      method,
      headers,
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    text = await response.text();
  } catch (cause) {
    if (signal?.aborted === true) throw cause;
    throw noAnswer(timeout.aborted, options.requestId, cause);
  }

  if (!response.ok) throw problemOf(response, text);
  try {
    // A 204 has no body: to the schema that is null.
    return parseAnswer(schema, text === '' ? null : JSON.parse(text));
  } catch (cause) {
    throw badAnswer(response, cause);
  }
}

function noAnswer(isTimeout: boolean, requestId: string | undefined, cause: unknown): ApiError {
  return new ApiError({
    code: isTimeout ? 'timeout' : 'network',
    detail: isTimeout ? 'The server did not answer in time.' : 'The server could not be reached.',
    requestId: requestId ?? null,
    cause,
  });
}

function badAnswer(response: Response, cause: unknown): ApiError {
  const detail = 'The answer is not one that this page understands.';
  return new ApiError({ code: 'bad-answer', detail, ...headOf(response), cause });
}

function problemOf(response: Response, text: string): ApiError {
  try {
    const problem = parseAnswer(problemAnswer, JSON.parse(text));
    return new ApiError({
      code: problem.code,
      detail: problem.detail,
      errors: problem.errors ?? [],
      lock: problem.lock ?? null,
      forced: problem.forced ?? null,
      ...headOf(response),
    });
  } catch (cause) {
    return badAnswer(response, cause);
  }
}

function headOf({ status, headers }: Response) {
  const answeredAtMs = Date.parse(headers.get('date') ?? '');
  const retryAfter = headers.get('retry-after') ?? '';
  return {
    status,
    requestId: headers.get('x-request-id'),
    answeredAtMs: Number.isNaN(answeredAtMs) ? null : answeredAtMs,
    retryAfterMs: /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) * 1000 : null,
  };
}

/** A request id of our own, in the form that the API takes over. */
export function newRequestId(): string {
  // randomUUID exists on secure origins alone, and an operator may well come over plain http in a private network.
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `ui-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
