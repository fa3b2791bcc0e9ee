import type { z } from 'zod';

import type { Endpoint, Method } from '@/lib/contract/endpoint';
import type { EndpointName, Endpoints } from '@/lib/contract/endpoints';
import { StoreUnavailable } from '@/lib/locks/errors';
import { getServices, type Services } from '@/lib/server/services';

import { assertLoopbackCaller } from './loopback-guard';
import { parseRequest } from './parse-request';
import { Problem, problemBody } from './problem';

/** The wrapper around every route: who calls, is it well-formed, and every error as a problem. */

export interface Answer {
  readonly status: number;
  /** Sent as JSON; undefined for an answer without a body. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Who calls. Until access control exists, everybody on this machine is the operator `local`. */
export interface Caller {
  readonly actor: string;
  readonly client: string | null;
}

export interface HandlerContext {
  readonly services: Services;
  readonly caller: Caller;
  readonly requestId: string;
}

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : null;

export interface Input<Name extends EndpointName> {
  readonly parameters: Parsed<Endpoints[Name]['parameters']>;
  readonly query: Parsed<Endpoints[Name]['query']>;
  /** Null where the body is optional and the query stands in for it. */
  readonly body: Endpoints[Name] extends { readonly isBodyOptional: true }
    ? Parsed<Endpoints[Name]['body']> | null
    : Parsed<Endpoints[Name]['body']>;
}

export type Handler = (request: Request, context: HandlerContext) => Promise<Answer>;

/** Binds a function to its row of the endpoint table: it is called only with what that row's schemas have parsed. */
export function handle<Name extends EndpointName>(
  name: Name,
  handler: (input: Input<Name>, context: HandlerContext) => Promise<Answer> | Answer,
): Handler {
  return async (request, context) => {
    const endpoint: Endpoint = context.services.endpoints[name];
    return handler(parsedBy(name, await parseRequest(request, endpoint)), context);
  };
}

/** The schemas of the row have made these values; TypeScript can't follow that through a table of rows. */
function parsedBy<Name extends EndpointName>(_name: Name, parsed: unknown): Input<Name> {
  return parsed as Input<Name>;
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
export type RouteMethods = Record<
  (typeof methods)[number],
  (request: Request) => Promise<Response>
>;

/** All methods of one route file: those given, HEAD with GET, and 405 with `Allow` for the rest. */
export function route(handlers: Readonly<Partial<Record<Method, Handler>>>): RouteMethods {
  const allowed = methods.filter((method) => handlerOf(handlers, method) !== undefined).join(', ');
  const refuse: Handler = () =>
    Promise.reject(
      new Problem('method-not-allowed', `This route takes ${allowed}.`, {
        headers: { Allow: allowed },
      }),
    );
  return serveAll((request) => answer(request, handlerOf(handlers, request.method) ?? refuse));
}

/** All methods of a route file that answers each in the same way. */
export function routeForAll(handler: Handler): RouteMethods {
  return serveAll((request) => answer(request, handler));
}

function serveAll(serve: (request: Request) => Promise<Response>): RouteMethods {
  return {
    GET: serve,
    HEAD: serve,
    POST: serve,
    PUT: serve,
    PATCH: serve,
    DELETE: serve,
    OPTIONS: serve,
  };
}

function handlerOf(
  handlers: Readonly<Partial<Record<Method, Handler>>>,
  method: string,
): Handler | undefined {
  switch (method) {
    case 'HEAD':
      return handlers.GET;
    case 'GET':
    case 'POST':
    case 'PUT':
    case 'PATCH':
    case 'DELETE':
      return handlers[method];
    default:
      return undefined;
  }
}

async function answer(request: Request, handler: Handler): Promise<Response> {
  const requestId = requestIdFrom(request.headers.get('x-request-id'));
  let services: Services | null = null;
  try {
    assertLoopbackCaller(request.headers.get('host'), request.headers.get('origin'));
    services = await getServices();
    return respond(
      await handler(request, { services, caller: { actor: 'local', client: null }, requestId }),
      requestId,
    );
  } catch (error) {
    return respondWithProblem(asProblem(error, services, requestId), requestId);
  }
}

const acceptableRequestId = /^[A-Za-z0-9._-]{1,128}$/;

/** The caller's own id for this request if it is one, or a new one. */
export function requestIdFrom(given: string | null): string {
  return given !== null && acceptableRequestId.test(given) ? given : crypto.randomUUID();
}

/** What a caller may know of an error; the cause goes to the log, with the request's id. */
function asProblem(error: unknown, services: Services | null, requestId: string): Problem {
  if (error instanceof Problem) return error;
  // Without services there is no store: it could not be opened, and the log of the start says why.
  if (error instanceof StoreUnavailable || services === null) {
    services?.log.error({ err: error, requestId }, 'the store did not answer');
    return new Problem(
      'store-unavailable',
      'The store did not answer. Whether a write took effect is not known: send it again.',
      { headers: { 'Retry-After': '1' } },
    );
  }
  services.log.error({ err: error, requestId }, 'an unexpected error');
  return new Problem(
    'internal',
    'Something went wrong here. The log has it under this request id.',
  );
}

function respond(given: Answer, requestId: string): Response {
  const headers: Record<string, string> = {
    'Cache-Control': 'no-store',
    'X-Request-Id': requestId,
    'X-Content-Type-Options': 'nosniff',
    ...given.headers,
  };
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
