import { momentOf, type Clock, type Moment } from './clock.js';
import { BadArgumentError, HoldfastError, NotAllowedError, UnavailableError } from './errors.js';
import type { Problem } from './wire.js';

/** An answer that is the service's own word: a success, or 403, 404 and 409 about a lock. */
export interface Answer<Body> {
  readonly status: number;
  /** What the body says, if the status is a success. */
  readonly body: Body;
  /** What a refusal says; of a success, nothing that is one. */
  readonly problem: Partial<Problem>;
  /** Taken before the request was sent: a lease that it granted or renewed is counted from here. */
  readonly sentAt: Moment;
}

export interface Request {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly timeoutMs: number;
  readonly cancel?: AbortSignal;
}

export interface Transport {
  /**
   * Sends once.
   *
   * @throws UnavailableError when there is no answer in time, or none of the service's: it may have taken effect.
   */
  send<Body>(request: Request): Promise<Answer<Body>>;
  /** A stream of server-sent events, or null where there is none. */
  open(path: string, cancel: AbortSignal, headers?: Record<string, string>): Promise<Response>;
}

export interface TransportOptions {
  readonly url: string;
  readonly apiKey: string | undefined;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
}

// A redirect would take the key elsewhere, or turn a write into a read.
const always = { redirect: 'error', cache: 'no-store' } as const;

export function createTransport({ url, apiKey, fetch, clock }: TransportOptions): Transport {
  const key = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };

  return {
    async send<Body>({ method, path, body, timeoutMs, cancel }: Request): Promise<Answer<Body>> {
      const controller = new AbortController();
      const abort = () => controller.abort();
      const timer = clock.setTimeout(abort, timeoutMs);
      cancel?.addEventListener('abort', abort);
      const sentAt = momentOf(clock);
      try {
        const response = await fetch(url + path, {
          method,
          headers: {
            ...key,
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          signal: controller.signal,
          ...always,
        });
        const text = await response.text();
        return judged<Body>(response, text, sentAt);
      } catch (cause) {
        if (cause instanceof HoldfastError) throw cause;
        throw new UnavailableError(`No answer from ${url}`, { cause });
      } finally {
        clock.clearTimeout(timer);
        cancel?.removeEventListener('abort', abort);
      }
    },

    open: (path, cancel, headers) =>
      fetch(url + path, {
        headers: { ...key, accept: 'text/event-stream', ...headers },
        signal: cancel,
        ...always,
      }),
  };
}

function judged<Body>(response: Response, text: string, sentAt: Moment): Answer<Body> {
  const { status } = response;
  const json = parse(text);
  const isObject = typeof json === 'object' && json !== null;
  const problem: Partial<Problem> = isObject ? json : {};
  const { code, detail = `The service answered ${status}` } = problem;
  const isRefusal =
    code !== undefined && (status === 404 || status === 409 || code === 'not-owner');
  if (isRefusal || status === 204 || (isObject && response.ok)) {
    return { status, body: json as Body, problem, sentAt };
  }
  if (code !== undefined && (status === 401 || status === 403)) {
    throw new NotAllowedError(status, detail);
  }
  if (code === 'invalid-request') {
    throw new BadArgumentError(problem.errors?.[0]?.field ?? 'request', `was refused: ${detail}`);
  }
  const seconds = Number(response.headers.get('retry-after') ?? NaN);
  throw new UnavailableError(detail, {
    retryAfterMs: Number.isFinite(seconds) ? seconds * 1000 : undefined,
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
