import { randomBytes } from 'node:crypto';

import {
  eventsAnswer,
  inspectAnswer,
  acquireAnswer,
  type LockOnWire,
} from '@/lib/contract/answers';

import { e2eKey } from './callers';

/** The API as any service calls it: plain fetch, and the contract's own schemas for what comes back. */
export class Api {
  constructor(private readonly baseUrl: string) {}

  async acquire(
    resource: string,
    lease: { owner: string; ttlMs: number; metadata?: Readonly<Record<string, string>> },
  ): Promise<LockOnWire> {
    const { owner, ttlMs, metadata } = lease;
    const body = { owner, ttl_ms: ttlMs, metadata };
    const answer = acquireAnswer.parse(await this.send('POST', resource, '', body));
    if (!answer.acquired) throw new Error(`${resource} is held by ${answer.holder.owner}.`);
    return answer.lock;
  }

  /** Whether the renew was accepted; an evicted owner's is not. */
  async renew(resource: string, lease: { owner: string; ttlMs: number }): Promise<boolean> {
    const body = { owner: lease.owner, ttl_ms: lease.ttlMs };
    const response = await this.call('POST', resource, '/renew', body);
    return response.ok;
  }

  async release(resource: string, owner: string): Promise<void> {
    const response = await this.call('DELETE', resource, '', { owner });
    if (!response.ok) throw new Error(`Releasing ${resource} answered ${response.status}.`);
  }

  /** Takes a free resource out of service, as an operator does. */
  async hold(
    resource: string,
    hold: { reason: string; ttlMs: number },
    secret = e2eKey,
  ): Promise<void> {
    const body = { reason: hold.reason, ttl_ms: hold.ttlMs };
    await this.send('POST', resource, '/hold', body, secret);
  }

  async askRelease({ resource, fencing_token }: LockOnWire, reason: string): Promise<void> {
    await this.send('POST', resource, '/ask-release', { reason, fencing_token });
  }

  /** Whether anybody may acquire it now: there is no row, or it has expired. */
  async inspect(resource: string): Promise<LockOnWire | null> {
    const response = await this.call('GET', resource, '?include=expired');
    if (response.status === 404) return null;
    return inspectAnswer.parse(await response.json()).lock;
  }

  async kinds(resource: string): Promise<string[]> {
    const { events } = eventsAnswer.parse(await this.send('GET', resource, '/events'));
    return events.map((event) => event.kind);
  }

  private async send(
    method: string,
    resource: string,
    verb: string,
    body?: unknown,
    secret = e2eKey,
  ) {
    const response = await this.call(method, resource, verb, body, secret);
    const answer: unknown = await response.json();
    if (!response.ok) throw new Error(`${method} ${resource}${verb}: ${JSON.stringify(answer)}`);
    return answer;
  }

  private call(method: string, resource: string, verb: string, body?: unknown, secret = e2eKey) {
    return fetch(`${this.baseUrl}/api/locks/${encodeURIComponent(resource)}${verb}`, {
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }
}

/**
 * A TTL, in milliseconds, of a lease that is to be expired soon. Much less, and a server that is busy with its first page
 * rightly answers 503: nothing would be left of the lease.
 */
export const soonOver = 1_500;

/** A name that no other test uses, in a group of its own by which the list can be narrowed. */
export function newGroup(): string {
  return `e2e-${randomBytes(5).toString('hex')}`;
}
