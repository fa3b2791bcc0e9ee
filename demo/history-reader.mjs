// What the service itself says: its clock, counts of locks, and the history of each resource.
import { setTimeout as delay } from 'node:timers/promises';

import { keyHeaders } from './key.mjs';

const answerMsMax = 5_000;
const pageLimit = 500;
const readersAtOnce = 4;

export function createReader(baseUrl) {
  const get = (target) => getJson(`${baseUrl}${target}`);
  const ownedBy = (prefix) =>
    get(`/api/locks?limit=1&state=all&owner_prefix=${encodeURIComponent(prefix)}`);

  return {
    async storeNowMs() {
      return Date.parse((await get('/api/locks?limit=1')).now);
    },

    /** How many locks the owners with this prefix have: `active`, `expired` and so on. */
    counts: async (ownerPrefix) => (await ownedBy(ownerPrefix)).counts,

    /** Waits until none of them is active. */
    async untilNoneActive(ownerPrefix, msMax) {
      for (const endMs = performance.now() + msMax; performance.now() < endMs; await delay(250)) {
        if ((await ownedBy(ownerPrefix)).counts.active === 0) return;
      }
      throw new Error(`some leases are still active ${Math.round(msMax / 1000)} s after the end`);
    },

    /** The events of each resource since a time of the store's clock, oldest first. */
    async eventsOf(resources, sinceMs) {
      const events = new Map();
      const queue = [...resources];
      const readOneByOne = async () => {
        for (let resource = queue.shift(); resource !== undefined; resource = queue.shift()) {
          events.set(resource, await readHistory(get, resource, sinceMs));
        }
      };
      await Promise.all(Array.from({ length: readersAtOnce }, readOneByOne));
      return events;
    },
  };
}

async function readHistory(get, resource, sinceMs) {
  const newestFirst = [];
  const path = `/api/locks/${encodeURIComponent(resource)}/events?limit=${pageLimit}`;
  for (let cursor = ''; cursor !== null;) {
    const page = await get(cursor === '' ? path : `${path}&cursor=${encodeURIComponent(cursor)}`);
    const recent = page.events.filter(({ at }) => Date.parse(at) >= sinceMs);
    newestFirst.push(...recent);
    cursor = recent.length < page.events.length ? null : page.next_cursor;
  }
  return newestFirst.reverse();
}

async function getJson(url) {
  let response;
  try {
    response = await fetch(url, {
      headers: keyHeaders,
      signal: AbortSignal.timeout(answerMsMax),
    });
  } catch (error) {
    throw new Error(error.cause?.code ?? error.message, { cause: error });
  }
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  if (!response.ok || !isJson)
    throw new Error(`it answers ${response.status}, not a list of locks`);
  return response.json();
}
