import { afterEach, describe, expect, it, vi } from 'vitest';

import { releaseLock } from './release-lock';
import { eventOf, lockOf } from '@/tests/support/locks';

const seen = lockOf({ fencing_token: 7 });
const request = { seen, reason: 'host gone', holdSeconds: 0, onlyExpired: false };
const now = '2026-05-01T09:30:00.000Z';

type Answer = (url: string, init: RequestInit) => Response | Promise<Response>;

/** A server that answers as told; what it is asked goes over no wire. */
function serve(answers: { release: Answer; inspect: Answer; events: Answer }): void {
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    if (url.includes('/force-release')) return answers.release(url, init);
    return url.includes('/events') ? answers.events(url, init) : answers.inspect(url, init);
  });
}

function json(status: number, body: unknown): Response {
  return new Response(JSON.stringify(body), { status });
}

function problem(status: number, code: string, more = {}): Response {
  return json(status, { type: 't', title: 't', status, detail: 'd', instance: 'i', code, ...more });
}

const noEvents = () => json(200, { events: [], next_cursor: null });
const stillHeld = () => json(200, { lock: seen, now });
const lost = () => Promise.reject(new TypeError('Failed to fetch'));

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe('releaseLock', () => {
  it('names the lease that was seen, and no hold or condition that was not asked for', async () => {
    const bodies: unknown[] = [];
    serve({
      release: (_, init) => {
        bodies.push(typeof init.body === 'string' ? JSON.parse(init.body) : null);
        return json(200, { released: seen, hold: null });
      },
      inspect: stillHeld,
      events: noEvents,
    });
    expect(await releaseLock(request)).toEqual({ kind: 'released', hold: null, atMs: null });
    expect(bodies).toEqual([{ fencing_token: 7, reason: 'host gone' }]);
  });

  it('takes a lock that changed as an outcome, with the lock as it is now', async () => {
    const current = lockOf({ fencing_token: 8 });
    serve({
      release: () => problem(409, 'lock-changed', { lock: current }),
      inspect: stillHeld,
      events: noEvents,
    });
    expect(await releaseLock(request)).toEqual({ kind: 'changed', current, events: [] });
  });

  it('throws what the server refused, for nothing was changed then', async () => {
    serve({ release: () => problem(403, 'forbidden'), inspect: stillHeld, events: noEvents });
    await expect(releaseLock(request)).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('finds its own release in the history when the answer got lost', async () => {
    let sentId: string | null = null;
    const ended = () =>
      eventOf({ kind: 'force_released', fencing_token: 7, request_id: sentId, at: now });
    serve({
      release: (_, init) => {
        sentId = new Headers(init.headers).get('x-request-id');
        return lost();
      },
      inspect: () => problem(404, 'not-found'),
      events: () => json(200, { events: [ended()], next_cursor: null }),
    });
    expect(await releaseLock(request)).toEqual({
      kind: 'released',
      hold: null,
      atMs: Date.parse(now),
    });
  });

  it("does not take somebody else's release for its own", async () => {
    const others = eventOf({ kind: 'force_released', fencing_token: 7, request_id: 'theirs' });
    serve({
      release: lost,
      inspect: () => problem(404, 'not-found'),
      events: () => json(200, { events: [others], next_cursor: null }),
    });
    expect(await releaseLock(request)).toMatchObject({ kind: 'changed', events: [others] });
  });

  it('says that nothing was released only after having looked for a while', async () => {
    vi.useFakeTimers();
    let reads = 0;
    serve({
      release: () => problem(503, 'store-unavailable'),
      inspect: () => {
        reads += 1;
        return stillHeld();
      },
      events: noEvents,
    });
    const outcome = releaseLock(request);
    await vi.runAllTimersAsync();
    expect(await outcome).toMatchObject({ kind: 'not-released' });
    expect(reads).toBeGreaterThan(1);
  });

  it('admits that it does not know when reading back fails as well', async () => {
    vi.useFakeTimers();
    serve({ release: lost, inspect: lost, events: lost });
    const outcome = releaseLock(request);
    await vi.runAllTimersAsync();
    expect(await outcome).toMatchObject({ kind: 'unknown' });
  });
});
