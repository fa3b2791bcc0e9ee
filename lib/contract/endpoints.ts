import type { LockSettings } from '../locks/limits';
import { accessEndpoints } from './access-endpoints';
import * as answers from './answers';
import { bulkBodyBytesMax, endpoint, type Endpoint } from './endpoint';
import { eventsExportQuery, eventsQuery, lockEventsQuery } from './events-query';
import { inspectQuery, listExportQuery, listQuery } from './list-query';
import * as requests from './requests';
import * as stats from './stats';
import { streamQuery } from './stream-query';

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

const onHistory = {
  method: 'GET',
  access: 'read',
  parameters: null,
  repeats: ['kind'],
  body: null,
  problems: {},
} as const;

const readEndpoints = {
  inspect: endpoint({
    method: 'GET',
    path: lockPath,
    access: 'inspect',
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
    access: 'inspect',
    summary: "Is this fencing token the current lease's, and active? Advisory",
    body: requests.checkBody,
    answers: { 200: answers.checkAnswer },
    problems: {},
  }),
  contention: endpoint({
    ...onLock,
    method: 'GET',
    path: `${lockPath}/contention`,
    access: 'read',
    summary: 'Who was denied this lock in the last minute, over all instances; the longest first',
    body: null,
    answers: { 200: answers.contentionAnswer },
    problems: {},
  }),
  lockStats: endpoint({
    ...onLock,
    method: 'GET',
    path: `${lockPath}/stats`,
    access: 'read',
    summary: 'What was usual for a resource in the last 7 days',
    body: null,
    answers: { 200: stats.lockStatsAnswer },
    problems: {},
  }),
  stats: endpoint({
    method: 'GET',
    path: '/api/stats',
    access: 'read',
    summary:
      'Acquires, denials, lost leases and hold times over a time, of what the caller may see',
    parameters: null,
    query: stats.statsQuery,
    body: null,
    answers: { 200: stats.statsAnswer },
    problems: {},
  }),
  lockEvents: endpoint({
    method: 'GET',
    path: `${lockPath}/events`,
    access: 'read',
    summary: 'The history of one resource, newest first, also after its row is gone',
    parameters: requests.resourceParameters,
    query: lockEventsQuery,
    repeats: ['kind'],
    body: null,
    answers: { 200: answers.eventsAnswer },
    problems: {},
  }),
  events: endpoint({
    ...onHistory,
    path: '/api/events',
    summary: 'The whole history, newest first',
    query: eventsQuery,
    answers: { 200: answers.eventsAnswer },
  }),
  exportEvents: endpoint({
    ...onHistory,
    path: '/api/events.csv',
    summary: 'The history as a table for spreadsheets, newest first',
    query: eventsExportQuery,
    answers: { 200: null },
    contentType: 'text/csv',
    problems: { 503: ['unavailable'] },
  }),
  exportLocks: endpoint({
    method: 'GET',
    path: '/api/locks.csv',
    access: 'read',
    summary: 'The list of locks as a table for spreadsheets',
    parameters: null,
    query: listExportQuery,
    body: null,
    answers: { 200: null },
    contentType: 'text/csv',
    problems: { 503: ['unavailable'] },
  }),
  streamEvents: endpoint({
    method: 'GET',
    path: '/api/events/stream',
    access: 'read',
    summary:
      'The history as it happens, as server-sent events; the header Last-Event-ID, or last_event_id, resumes',
    parameters: null,
    query: streamQuery,
    repeats: ['kind'],
    body: null,
    contentType: 'text/event-stream',
    answers: { 200: null },
    problems: { 503: ['unavailable'] },
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
      summary: 'End up to 500 leases that were seen, each judged alone',
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
    access: 'anybody',
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
    access: 'anybody',
    summary: 'The store is reachable and its migrations are applied',
    parameters: null,
    query: null,
    body: null,
    answers: { 200: answers.liveAnswer },
    problems: { 503: ['unavailable'] },
  }),
  metrics: endpoint({
    method: 'GET',
    path: '/api/metrics',
    access: 'read',
    summary: 'What Prometheus reads; a key needs the pattern *',
    parameters: null,
    query: null,
    body: null,
    contentType: 'text/plain',
    answers: { 200: null },
    problems: {},
  }),
  status: endpoint({
    method: 'GET',
    path: '/api/status',
    access: 'read',
    summary: 'What the store is and what weakens its promises; a key needs the pattern *',
    parameters: null,
    query: null,
    body: null,
    answers: { 200: answers.statusAnswer },
    problems: {},
  }),
  openapi: endpoint({
    method: 'GET',
    path: '/api/openapi.json',
    access: 'anybody',
    summary: 'This document',
    parameters: null,
    query: null,
    body: null,
    answers: { 200: null },
    problems: {},
  }),
} as const;

/** Every endpoint; limits that the environment may change arrive as `settings`. */
export function buildEndpoints(settings: LockSettings) {
  return {
    ...leaseEndpoints(settings),
    ...readEndpoints,
    ...operatorEndpoints(settings),
    ...accessEndpoints,
    ...serviceEndpoints,
  } as const satisfies Record<string, Endpoint>;
}

export type Endpoints = ReturnType<typeof buildEndpoints>;
export type EndpointName = keyof Endpoints;
