import { expect } from 'vitest';

import { lockAnswer, type LockOnWire } from '@/lib/contract/answers';
import { problemsOf, type Endpoint } from '@/lib/contract/endpoint';
import { problemAnswer, problemCodes } from '@/lib/contract/problems';

import type { RawAnswer } from './http';

/**
 * Holds an answer against the contract: its headers, its status and code, and its body by the schema of its endpoint.
 *
 * @param endpoint null for a request that is none of the API's.
 * @returns the body as its schema has parsed it; null if it has none.
 */
export function assertKeepsContract(
  answer: RawAnswer,
  endpoint: Endpoint | null,
  method: string = endpoint?.method ?? 'GET',
): unknown {
  const { status, headers } = answer;
  const told = `${status} ${JSON.stringify(headers)} ${answer.body}`;
  expect(headers['cache-control'], told).toBe('no-store');
  expect(headers['x-request-id'], told).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
  expect(status, told).toBeLessThan(500 + (status === 503 ? 4 : 0));
  if (method === 'HEAD') {
    expect(answer.body, told).toBe('');
    return null;
  }
  if (status >= 400) return assertProblem(answer, endpoint);
  if (endpoint === null) return null;

  const schema = endpoint.answers[status];
  expect(schema, `${endpoint.path} does not declare ${told}`).toBeDefined();
  if (status === 204) {
    expect(answer.body).toBe('');
    return null;
  }
  if (endpoint.contentType !== undefined) {
    expect(headers['content-type'], told).toMatch(new RegExp(`^${endpoint.contentType};`));
    return null;
  }
  expect(headers['content-type'], told).toBe('application/json');
  const body: unknown = JSON.parse(answer.body);
  if (schema === null || schema === undefined) return body;
  const parsed = schema.safeParse(body);
  expect(parsed.error, told).toBeUndefined();
  assertLocksAreConsistent(body);
  return parsed.data;
}

function assertProblem(answer: RawAnswer, endpoint: Endpoint | null): unknown {
  const { status, headers } = answer;
  const told = `${status} ${answer.body}`;
  expect(headers['content-type'], told).toBe('application/problem+json');
  const parsed = problemAnswer.safeParse(JSON.parse(answer.body));
  expect(parsed.error, told).toBeUndefined();
  const problem = problemAnswer.parse(parsed.data);
  expect(problem.status, told).toBe(status);
  expect(problem.title, told).toBe(problemCodes[problem.code].title);
  expect(problem.type, told).toContain(problem.code);
  expect(problem.instance, told).toContain(headers['x-request-id']);
  expect(problem.detail, told).toMatch(/^\S.*[.!]$/s);
  expect(problem.errors === undefined, told).toBe(status !== 422);
  if (status === 422) expect(problem.errors, told).not.toEqual([]);
  if (status === 405) expect(headers.allow, told).toMatch(/^[A-Z]+(?:, [A-Z]+)*$/);
  if (status === 503 || status === 429) expect(headers['retry-after'], told).toMatch(/^[1-9]\d*$/);
  if (problem.code === 'lock-changed') expect(problem.lock, told).toBeDefined();
  if (endpoint !== null) {
    expect(
      problemsOf(endpoint).get(status) ?? [],
      `${endpoint.path} does not declare ${told}`,
    ).toContain(problem.code);
  }
  return problem;
}

/** What no schema can say: the fields of a lock must agree with one another. */
function assertLocksAreConsistent(body: unknown): void {
  for (const lock of locksIn(body)) {
    const told = JSON.stringify(lock);
    const lastsMs = Date.parse(lock.expires_at) - Date.parse(lock.acquired_at);
    expect(lastsMs, told).toBeGreaterThan(0);
    expect(lock.remaining_ms, told).toBeLessThanOrEqual(lastsMs);
    expect(lock.state, told).toBe(lock.remaining_ms > 0 ? 'active' : 'expired');
    expect(lock.renewed_at === null, told).toBe(lock.renew_count === 0);
    expect(lock.condition === 'closed', told).toBe(
      lock.state === 'active' && lock.held_by_operator !== null,
    );
    if (lock.held_by_operator !== null) {
      expect(lock.owner, told).toBe(`operator:${lock.held_by_operator.name}`);
      expect(lock.client, told).toBeNull();
    }
  }
}

function locksIn(value: unknown): LockOnWire[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = lockAnswer.safeParse(value);
  return own.success ? [own.data] : Object.values(value).flatMap(locksIn);
}
