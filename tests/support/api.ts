import type { z } from 'zod';

import { buildEndpoints, type EndpointName, type Endpoints } from '@/lib/contract/endpoints';
import type { LockOnWire } from '@/lib/contract/answers';
import type { ProblemOnWire } from '@/lib/contract/problems';
import { defaultLockSettings } from '@/lib/locks/limits';

import { bearer, testKey } from './callers';
import { assertKeepsContract } from './contract-check';
import { send, type RawAnswer, type RawRequest } from './http';

/** The API as a well-behaved caller uses it. Every answer is held against the contract before a test sees it. */

export const endpoints = buildEndpoints(defaultLockSettings);

type AnswerSchemas<Name extends EndpointName> =
  Endpoints[Name]['answers'][keyof Endpoints[Name]['answers']];

/** What a success of this endpoint carries. */
export type BodyOf<Name extends EndpointName> =
  AnswerSchemas<Name> extends infer Schema
    ? Schema extends z.ZodType
      ? z.output<Schema>
      : null
    : never;

export interface Answer<Body> extends RawAnswer {
  readonly ok: boolean;
  /** @throws if it is a problem. */
  value(): Body;
  /** @throws if it is a success. */
  problem(): ProblemOnWire;
}

export interface Call {
  readonly resource?: string;
  readonly id?: string;
  /** An array is a parameter that repeats. */
  readonly query?: Readonly<Record<string, string | number | readonly string[]>>;
  readonly body?: unknown;
  /** A body as text, for what `JSON.stringify` would not write. */
  readonly json?: string;
  /** Beside the test key, which `authorization: ''` leaves out. */
  readonly headers?: RawRequest['headers'];
}

export interface Api {
  call<Name extends EndpointName>(name: Name, call?: Call): Promise<Answer<BodyOf<Name>>>;
  /** Acquires, and fails the test if somebody holds the lock. */
  grant(resource: string, options?: GrantOptions): Promise<LockOnWire>;
  /** Anything at all; only what every answer must keep is checked. */
  raw(request: RawRequest): Promise<RawAnswer>;
}

export interface GrantOptions {
  readonly owner?: string;
  readonly ttlMs?: number;
  readonly metadata?: Readonly<Record<string, string>>;
}

/**
 * @param caller the headers that say who calls; the test key unless given.
 * @param server asked for its address at each call, since it has another one after a restart.
 */
export function createApi(
  server: { readonly url: string },
  caller: NonNullable<RawRequest['headers']> = bearer(testKey),
): Api {
  const sendAs = (request: RawRequest) =>
    send(server.url, { ...request, headers: withoutEmpty({ ...caller, ...request.headers }) });

  async function call<Name extends EndpointName>(name: Name, given: Call = {}) {
    const endpoint = endpoints[name];
    const json = given.body === undefined ? given.json : JSON.stringify(given.body);
    const answer = await sendAs({
      method: endpoint.method,
      path: pathTo(name, given),
      headers: {
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...given.headers,
      },
      body: json,
    });
    return answerOf(name, answer, assertKeepsContract(answer, endpoint));
  }

  return {
    call,
    async grant(resource, { owner = 'owner', ttlMs = 60_000, metadata } = {}) {
      const answer = await call('acquire', { resource, body: { owner, ttl_ms: ttlMs, metadata } });
      const body = answer.value();
      if (!body.acquired) throw new Error(`${resource} is held by ${body.holder.owner}`);
      return body.lock;
    },
    async raw(request) {
      const answer = await sendAs(request);
      assertKeepsContract(answer, null, request.method);
      return answer;
    },
  };
}

function withoutEmpty(headers: NonNullable<RawRequest['headers']>) {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));
}

/** The path and query of a call, each part percent-encoded as one. */
export function pathTo(name: EndpointName, { resource, id, query = {} }: Call = {}): string {
  const template: string = endpoints[name].path;
  const path = template
    .replace('{resource}', () => encodeURIComponent(resource ?? ''))
    .replace('{id}', () => encodeURIComponent(id ?? ''));
  const pairs = Object.entries(query).flatMap(([key, value]) =>
    [value].flat().map((one) => `${encodeURIComponent(key)}=${encodeURIComponent(one)}`),
  );
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
}

function answerOf<Name extends EndpointName>(
  name: Name,
  answer: RawAnswer,
  body: unknown,
): Answer<BodyOf<Name>> {
  const ok = answer.status < 400;
  const told = `${name} answered ${answer.status}: ${answer.body}`;
  return {
    ...answer,
    ok,
    value() {
      if (!ok) throw new Error(told);
      return parsedBy(name, body);
    },
    problem() {
      if (ok) throw new Error(told);
      return parsedAsProblem(body);
    },
  };
}

/** The endpoint's schema has parsed this; TypeScript can't follow that through a table of endpoints. */
function parsedBy<Name extends EndpointName>(_name: Name, body: unknown): BodyOf<Name> {
  return body as BodyOf<Name>;
}

/** The problem schema has parsed every body of a status from 400 up. */
function parsedAsProblem(body: unknown): ProblemOnWire {
  return body as ProblemOnWire;
}

/** A problem, in the words that most tests need: `409 lock-lost`. */
export function outcomeOf(answer: Answer<unknown>): string {
  if (answer.ok) return String(answer.status);
  const { status, code } = answer.problem();
  return `${status} ${code}`;
}

/** The fields that a 422 names, in order. */
export function refusedFields(answer: Answer<unknown>): string[] {
  return (answer.problem().errors ?? []).map((error) => error.field);
}
