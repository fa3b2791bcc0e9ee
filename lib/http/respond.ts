import { problemBody, type Problem } from './problem';
import { readableOf } from './readable';

/** How what was served, or went wrong, is written as a response. */

export interface Answer {
  readonly status: number;
  /** Sent as JSON; undefined for an answer without a body. */
  readonly body?: unknown;
  /** In place of `body`: bytes, or text that is made while it is read and no sooner. Its type is in the headers. */
  readonly stream?: AsyncIterable<string> | ReadableStream<Uint8Array>;
  /** Called once when text that is streamed has ended, whichever way. */
  readonly onStreamEnd?: () => void;
  readonly headers?: Readonly<Record<string, string>>;
  /** A word for the metrics, where a success may mean two things. */
  readonly outcome?: string;
}

const acceptableRequestId = /^[A-Za-z0-9._-]{1,128}$/;

/** The caller's own id for this request if it is one, or a new one. */
export function requestIdFrom(given: string | null): string {
  return given !== null && acceptableRequestId.test(given) ? given : crypto.randomUUID();
}

/** @param onCutOff told why a stream ended early: the status has been sent by then. */
export function respond(
  given: Answer,
  requestId: string,
  onCutOff: (error: unknown) => void = () => undefined,
): Response {
  const headers: Record<string, string> = {
    'Cache-Control': 'no-store',
    'X-Request-Id': requestId,
    'X-Content-Type-Options': 'nosniff',
    ...given.headers,
  };
  if (given.stream !== undefined) {
    const { stream } = given;
    const body =
      stream instanceof ReadableStream
        ? stream
        : readableOf(stream, { onCutOff, onEnd: given.onStreamEnd });
    return new Response(body, { status: given.status, headers });
  }
  if (given.body === undefined) return new Response(null, { status: given.status, headers });
  headers['Content-Type'] = 'application/json';
  return new Response(JSON.stringify(given.body), { status: given.status, headers });
}

/** Every error answer, those from in front of the routes included. */
export function respondWithProblem(problem: Problem, requestId: string): Response {
  return new Response(JSON.stringify(problemBody(problem, requestId)), {
    status: problem.status,
    headers: {
      'Content-Type': 'application/problem+json',
      'Cache-Control': 'no-store',
      'X-Request-Id': requestId,
      'X-Content-Type-Options': 'nosniff',
      ...problem.headers,
    },
  });
}
