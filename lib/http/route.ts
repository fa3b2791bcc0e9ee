import type { z } from 'zod';

import { accessRules, type Access, type AccessRule } from '@/lib/contract/access';
import type { Endpoint, Method } from '@/lib/contract/endpoint';
import type { EndpointName, Endpoints } from '@/lib/contract/endpoints';
import type { CallKind } from '@/lib/access/call-limits';
import { mayCall, mayReach, type Caller, type KeyCaller } from '@/lib/access/callers';
import { StoreUnavailable } from '@/lib/locks/errors';
import { getServices, type Services } from '@/lib/server/services';

import { authenticate, hasCredentials, unauthenticated } from './authenticate';
import { parseRequest } from './parse-request';
import { Problem } from './problem';
import { requestIdFrom, respond, respondWithProblem, type Answer } from './respond';

/** The wrapper around every route: who calls, is it well-formed, and every error as a problem. */

/** What every handler is given; `Who` is a caller, or null where anybody may call. */
export interface HandlerContext<Who = Caller> {
  readonly services: Services;
  readonly caller: Who;
  readonly requestId: string;
  readonly request: Request;
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

/** A row of the endpoint table with what serves it. Who may call is the row's to say. */
export interface Handler {
  readonly name: EndpointName;
  serve(context: HandlerContext<Caller | null>): Promise<Answer>;
}

/** Whom the wrapper lets through to a row: nobody in particular, services alone, or both. */
type CallerOf<Name extends EndpointName> = Endpoints[Name]['access'] extends 'anybody'
  ? null
  : Endpoints[Name]['access'] extends 'acquire'
    ? KeyCaller
    : Caller;

/** Binds a function to its row of the endpoint table: it is called only with what that row's schemas have parsed. */
export function handle<Name extends EndpointName>(
  name: Name,
  handler: (
    input: Input<Name>,
    context: HandlerContext<CallerOf<Name>>,
  ) => Promise<Answer> | Answer,
): Handler {
  return {
    name,
    async serve(context) {
      const endpoint: Endpoint = context.services.endpoints[name];
      const parsed = await parseRequest(context.request, endpoint);
      assertInReach(context.caller, parsed.parameters);
      return handler(parsedBy(name, parsed), { ...context, caller: callerFor(name, context) });
    },
  };
}

/** A key reaches the resource in the path only by its patterns. */
function assertInReach(caller: Caller | null, parameters: unknown): void {
  if (caller === null || typeof parameters !== 'object' || parameters === null) return;
  if (!('resource' in parameters) || typeof parameters.resource !== 'string') return;
  if (mayReach(caller, parameters.resource)) return;
  throw new Problem(
    'forbidden',
    `The patterns of this key do not cover ${parameters.resource}. An admin can make one that does.`,
  );
}

/** `answer` has authenticated the caller of every row that wants one. */
function callerFor<Name extends EndpointName>(
  _name: Name,
  { caller }: HandlerContext<Caller | null>,
): CallerOf<Name> {
  return caller as CallerOf<Name>;
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
  const some = Object.values(handlers)[0];
  const refuse = () =>
    new Problem('method-not-allowed', `This route takes ${allowed}.`, {
      headers: { Allow: allowed },
    });
  return serveAll((request) => {
    const handler = handlerOf(handlers, request.method);
    if (handler !== undefined) return answer(request, (context) => observed(handler, context));
    // Whether a path is for anybody is the same for all its methods.
    return answer(request, async (context) => {
      if (some !== undefined && accessOf(some, context.services) !== 'anybody') {
        await callerOf(request, context.services);
      }
      throw refuse();
    });
  });
}

/** All methods of a route file that answers each in the same way, once it knows who calls. */
export function routeForCallers(serveCaller: (context: HandlerContext) => Answer): RouteMethods {
  return serveAll((request) =>
    answer(request, async (context) => {
      const caller = await callerOf(request, context.services);
      return serveCaller({ ...context, caller });
    }),
  );
}

/** For a path that no route can take: nobody but a known caller learns what is wrong with it. */
export function routeRefusing(problem: Problem): RouteMethods {
  return routeForCallers(() => {
    throw problem;
  });
}

/** All methods of a route file that says itself who may call: the sign-in. */
export function routeForAnybody(
  serveAnybody: (context: Omit<HandlerContext, 'caller'>) => Promise<Response>,
): RouteMethods {
  return serveAll((request) => answer(request, serveAnybody));
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

type Context = Omit<HandlerContext, 'caller'>;

/** Every answer of the API comes from here: what goes wrong becomes a problem. */
async function answer(
  request: Request,
  work: (context: Context) => Promise<Answer | Response>,
): Promise<Response> {
  const requestId = requestIdFrom(request.headers.get('x-request-id'));
  let services: Services | null = null;
  try {
    services = await getServices();
    const given = await work({ services, requestId, request });
    if (given instanceof Response) return given;
    return respond(given, requestId, (error) => {
      services?.log.error({ err: error, requestId }, 'an answer was cut off');
    });
  } catch (error) {
    return respondWithProblem(asProblem(error, services, requestId), requestId);
  }
}

/** Counts and times a call, and logs it where one asked for that much. */
async function observed(handler: Handler, context: Context): Promise<Answer> {
  const startMs = performance.now();
  const note = (outcome: string) => noteCall(handler.name, outcome, startMs, context);
  try {
    const given = await serve(handler, context);
    note(given.outcome ?? 'ok');
    return given;
  } catch (error) {
    note(outcomeOfError(error));
    throw error;
  }
}

function noteCall(name: EndpointName, outcome: string, startMs: number, context: Context): void {
  const { services, requestId } = context;
  const tookMs = performance.now() - startMs;
  services.metrics.noteCall(name, outcome, tookMs);
  if (!services.log.isLevelEnabled('debug')) return;
  const [target = ''] = context.request.url.slice(0, targetCharactersMax).split('?', 1);
  services.log.debug({ requestId, verb: name, outcome, tookMs, target }, 'a call');
}

const targetCharactersMax = 2_048;

function outcomeOfError(error: unknown): string {
  if (error instanceof Problem) return error.code;
  return error instanceof StoreUnavailable ? 'store-unavailable' : 'internal';
}

/** The one place that lets a caller through to a handler. */
async function serve(handler: Handler, context: Context): Promise<Answer> {
  const { services, request } = context;
  const access = accessOf(handler, services);
  if (access === 'anybody') return handler.serve({ ...context, caller: null });
  const caller = await callerOf(request, services);
  if (!mayCall(caller, access)) throw outOfScope(caller, access);
  assertWithinLimit(services.access.calls.take(caller, kindOf(handler.name)));
  return handler.serve({ ...context, caller });
}

function accessOf(handler: Handler, services: Services): Access {
  return services.endpoints[handler.name].access;
}

function callerOf(request: Request, services: Services): Caller | Promise<Caller> {
  if (!hasCredentials(request)) throw unauthenticated();
  return authenticate(request, services);
}

function outOfScope(caller: Caller, access: Exclude<Access, 'anybody'>): Problem {
  const { scopes, role }: AccessRule = accessRules[access];
  const wanted =
    caller.kind === 'key'
      ? scopes.length === 0
        ? 'Only people do this: sign in to the dashboard.'
        : `This needs a key with the scope ${scopes.join(' or ')}.`
      : role === null
        ? 'Only services hold leases: use an API key.'
        : `This needs the role ${role}.`;
  return new Problem('forbidden', wanted);
}

function kindOf(name: EndpointName): CallKind {
  return name === 'renew' || name === 'release' ? 'keeping' : 'call';
}

/** @throws Problem 429 */
export function assertWithinLimit(waitMs: number): void {
  if (waitMs <= 0) return;
  const seconds = Math.ceil(waitMs / 1000);
  throw new Problem('too-many-requests', `Too many requests. Ask again in ${seconds} s.`, {
    headers: { 'Retry-After': String(seconds) },
  });
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
