import type { z } from 'zod';

import { limits, type LockSettings } from '../locks/limits';
import * as answers from './answers';
import { eventsQuery, inspectQuery, listQuery } from './list-query';
import type { ProblemCode } from './problems';
import * as requests from './requests';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Who may call: `public` is anybody; the rest are what access control will ask of a key or a person. */
export type Access = 'public' | 'acquire' | 'read' | 'operate';

/** One row of the table that routes, the OpenAPI document and the tests are made from. */
export interface Endpoint {
  readonly method: Method;
  /** An OpenAPI path template; its file is `app` + the path with `{x}` as `[x]` + `/route.ts`. */
  readonly path: string;
  readonly access: Access;
  readonly summary: string;
  readonly parameters: z.ZodType | null;
  readonly query: z.ZodType | null;
  readonly body: z.ZodType | null;
  readonly isBodyOptional?: boolean;
  readonly bodyBytesMax: number;
  /** Success statuses with their schema; null for an answer without a body. */
  readonly answers: Readonly<Record<number, z.ZodType | null>>;
  /** The codes of this endpoint's own; those that any endpoint may answer are in `commonProblems`. */
  readonly problems: Readonly<Partial<Record<number, readonly ProblemCode[]>>>;
}

export const bodyBytesMax = 16 * 1024;
export const bulkBodyBytesMax = 512 * 1024;

/** Any endpoint may answer with these. */
export const commonProblems: Readonly<Record<number, readonly ProblemCode[]>> = {
  403: ['forbidden'],
  405: ['method-not-allowed'],
  422: ['invalid-request'],
  500: ['internal'],
  503: ['store-unavailable'],
};

/** And those that take a body with these as well. */
export const bodyProblems: Readonly<Record<number, readonly ProblemCode[]>> = {
  400: ['invalid-request'],
  413: ['payload-too-large'],
  415: ['unsupported-media-type'],
};

function endpoint<const T extends Omit<Endpoint, 'bodyBytesMax'> & { bodyBytesMax?: number }>(
  row: T,
) {
  return { bodyBytesMax, ...row };
}

const onLock = { parameters: requests.resourceParameters, query: null } as const;
const lockPath = '/api/locks/{resource}';

function leaseEndpoints(settings: LockSettings) {
  return {
    acquire: endpoint({
      ...onLock,
      method: 'POST',
      path: lockPath,
      access: 'acquire',
      summary: 'Acquire a lock; never blocks',
      body: requests.acquireBody(settings),
      answers: { 200: answers.acquireAnswer },
      problems: {},
    }),
    renew: endpoint({
      ...onLock,
      method: 'POST',
      path: `${lockPath}/renew`,
      access: 'acquire',
      summary: 'Renew a lease that one holds',
      body: requests.renewBody(settings),
      answers: { 200: answers.oneLockAnswer },
      problems: { 404: ['not-found'], 409: ['lock-expired', 'lock-lost'] },
    }),
    release: endpoint({
      method: 'DELETE',
      path: lockPath,
      access: 'acquire',
      summary: 'Release a lease that one holds; owner and token in the body or in the query',
      parameters: requests.resourceParameters,
      query: requests.releaseQuery,
      body: requests.releaseBody,
      isBodyOptional: true,
      answers: { 204: null },
      problems: { 403: ['not-owner'], 404: ['not-found', 'lock-expired'] },
    }),
  } as const;
}

const readEndpoints = {
  inspect: endpoint({
    method: 'GET',
    path: lockPath,
    access: 'read',
    summary: 'Inspect one lock',
    parameters: requests.resourceParameters,
    query: inspectQuery,
    body: null,
    answers: { 200: answers.inspectAnswer },
    problems: { 404: ['not-found'] },
  }),
  list: endpoint({
    method: 'GET',
    path: '/api/locks',
    access: 'read',
    summary: 'List locks',
    parameters: null,
    query: listQuery,
    body: null,
    answers: { 200: answers.listAnswer },
    problems: {},
  }),
  check: endpoint({
    ...onLock,
    method: 'POST',
    path: `${lockPath}/check`,
    access: 'read',
    summary: "Is this fencing token the current lease's, and active? Advisory",
    body: requests.checkBody,
    answers: { 200: answers.checkAnswer },
    problems: {},
  }),
  lockEvents: endpoint({
    method: 'GET',
    path: `${lockPath}/events`,
    access: 'read',
    summary: 'The history of one resource, newest first, also after its row is gone',
    parameters: requests.resourceParameters,
    query: eventsQuery,
    body: null,
    answers: { 200: answers.eventsAnswer },
    problems: {},
  }),
} as const;

function operatorEndpoints(settings: LockSettings) {
  return {
    forceRelease: endpoint({
      ...onLock,
      method: 'POST',
      path: `${lockPath}/force-release`,
      access: 'operate',
      summary:
        'End the lease that was seen, and no other. The evicted process is not stopped: keep the resource closed for what was left of its lease (hold_seconds), or check fencing tokens',
      body: requests.forceReleaseBody(settings),
      answers: { 200: answers.forceReleaseAnswer },
      problems: { 404: ['not-found'], 409: ['lock-changed'] },
    }),
    hold: endpoint({
      ...onLock,
      method: 'POST',
      path: `${lockPath}/hold`,
      access: 'operate',
      summary: 'Take a resource out of service; with a token, evict that lease in the same step',
      body: requests.holdBody(settings),
      answers: { 200: answers.oneLockAnswer },
      problems: { 409: ['lock-changed'] },
    }),
    askRelease: endpoint({
      ...onLock,
      method: 'POST',
      path: `${lockPath}/ask-release`,
      access: 'operate',
      summary: 'Ask the holder to let go: every renew and inspect carries it until the lease ends',
      body: requests.askReleaseBody,
      answers: { 202: answers.oneLockAnswer },
      problems: { 404: ['not-found'], 409: ['lock-changed'] },
    }),
    bulkForceRelease: endpoint({
      method: 'POST',
      path: '/api/force-release',
      access: 'operate',
      summary: `End up to ${limits.bulkReleaseMax} leases that were seen, each judged alone`,
      parameters: null,
      query: null,
      body: requests.bulkReleaseBody,
      bodyBytesMax: bulkBodyBytesMax,
      answers: { 200: answers.bulkReleaseAnswer },
      problems: {},
    }),
  } as const;
}

const serviceEndpoints = {
  live: endpoint({
    method: 'GET',
    path: '/api/health/live',
    access: 'public',
    summary: 'This process answers',
    parameters: null,
    query: null,
    body: null,
    answers: { 200: answers.liveAnswer },
    problems: {},
  }),
  ready: endpoint({
    method: 'GET',
    path: '/api/health/ready',
    access: 'public',
    summary: 'The store is reachable and its migrations are applied',
    parameters: null,
    query: null,
    body: null,
    answers: { 200: answers.liveAnswer },
    problems: {},
  }),
  openapi: endpoint({
    method: 'GET',
    path: '/api/openapi.json',
    access: 'public',
    summary: 'This document',
    parameters: null,
    query: null,
    body: null,
    answers: { 200: null },
    problems: {},
  }),
} as const;

/** The table itself; limits that the environment may change arrive as `settings`. */
export function buildEndpoints(settings: LockSettings) {
  return {
    ...leaseEndpoints(settings),
    ...readEndpoints,
    ...operatorEndpoints(settings),
    ...serviceEndpoints,
  } as const satisfies Record<string, Endpoint>;
}

export type Endpoints = ReturnType<typeof buildEndpoints>;
export type EndpointName = keyof Endpoints;
