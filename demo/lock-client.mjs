// The three lock calls over HTTP. Contention and loss are outcomes; an answer that never came is `unknown`.
import { setTimeout as delay } from 'node:timers/promises';

import { keyHeaders } from './key.mjs';

const answerMsMax = 4_000;
const attemptsMax = 3;

export function createLockClient(baseUrl) {
  const pathOf = (resource) => `${baseUrl}/api/locks/${encodeURIComponent(resource)}`;

  return {
    async acquire({ resource, owner, ttlMs, metadata }) {
      const body = { owner, ttl_ms: ttlMs, metadata };
      const answer = await send('POST', pathOf(resource), body);
      if (answer === null) return { outcome: 'unknown' };
      const { acquired, lock, retry_after_ms: retryAfterMs } = answer.body;
      if (answer.status !== 200) throw unexpected(answer);
      return {
        outcome: acquired ? 'granted' : 'denied',
        sentMs: answer.sentMs,
        lock,
        retryAfterMs,
      };
    },

    async renew({ resource, owner, ttlMs }, fencingToken) {
      const body = { owner, ttl_ms: ttlMs, fencing_token: fencingToken };
      const answer = await send('POST', `${pathOf(resource)}/renew`, body);
      if (answer === null) return { outcome: 'unknown' };
      if (answer.status === 200) {
        return { outcome: 'renewed', sentMs: answer.sentMs, lock: answer.body.lock };
      }
      if (answer.body.code === 'lock-expired') return { outcome: 'overran' };
      if (answer.body.forced !== undefined) return { outcome: 'evicted' };
      if (['lock-lost', 'not-found'].includes(answer.body.code)) return { outcome: 'lost' };
      throw unexpected(answer);
    },

    async release({ resource, owner }, fencingToken) {
      const body = { owner, fencing_token: fencingToken };
      const answer = await send('DELETE', pathOf(resource), body);
      if (answer === null) return { outcome: 'unknown' };
      if (answer.status === 204) return { outcome: 'released' };
      if (answer.body.code === 'lock-expired') return { outcome: 'overran' };
      if (answer.body.code === 'not-owner') return { outcome: 'lost' };
      // Sent a second time after an answer got lost, "not found" says that the first one took effect.
      if (answer.body.code === 'not-found')
        return { outcome: answer.isFirst ? 'lost' : 'released' };
      throw unexpected(answer);
    },
  };
}

/** An answer, or null if none came. No answer and 503 mean "maybe", and every one of these calls can be sent again. */
async function send(method, url, body) {
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const sentMs = performance.now();
    try {
      const response = await fetch(url, {
        method,
        headers: { 'Content-Type': 'application/json', ...keyHeaders },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(answerMsMax),
      });
      const text = await response.text();
      if (response.status !== 503) {
        const isFirst = attempt === 1;
        return { status: response.status, body: JSON.parse(text || '{}'), sentMs, isFirst };
      }
    } catch (error) {
      if (error instanceof SyntaxError) throw error;
    }
    if (attempt < attemptsMax) await delay(300 * attempt);
  }
  return null;
}

function unexpected({ status, body }) {
  return new Error(`The service answered ${status} ${body.code ?? ''} ${body.detail ?? ''}`);
}
