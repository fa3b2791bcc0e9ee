// Whether the calls did what they must: the service's own list is compared with how many were answered. A call that was
// under way on some connection when the time was up may have taken effect without being counted.

import { keyHeaders } from './load/lock-body.mjs';

/** How many active locks have names with this prefix: from the list's count, or page by page where that is capped. */
export async function countRows({ url, key, prefix }) {
  const query = `prefix=${encodeURIComponent(prefix)}&sort=resource&limit=500`;
  let rows = 0;
  for (let cursor = ''; cursor !== null;) {
    const page = await get(`${url}/api/locks?${query}${cursor}`, key);
    if (cursor === '' && !page.counts_capped) return page.counts.active;
    rows += page.locks.length;
    cursor = page.next_cursor === null ? null : `&cursor=${encodeURIComponent(page.next_cursor)}`;
  }
  return rows;
}

export function assertAnswered({ calls, refused, broken }, workload) {
  if (refused > 0)
    throw new Error(`${refused} calls of ${workload} were refused: no 2xx, or no grant`);
  if (broken > 0) throw new Error(`${broken} calls of ${workload} got no answer`);
  if (calls === 0) throw new Error(`No call of ${workload} was answered`);
}

export function assertAllGranted({ connections }, { calls }, rows) {
  if (rows < calls || rows > calls + connections) {
    throw new Error(`${calls} acquires were answered, but ${rows} locks are held`);
  }
}

export function assertAllReleased({ connections }, { calls }, before, after) {
  const released = before - after;
  // Acquires that were under way when their run ended may have been granted after `before` was counted.
  if (released < calls - connections || released > calls + connections) {
    throw new Error(`${calls} releases were answered, but ${released} locks have gone`);
  }
}

/** Pairs leave nothing but what was under way: at most an acquire on each connection, and a grant not yet released. */
export function assertPairsEven({ connections }, rows) {
  if (rows > 2 * connections) throw new Error(`Pairs have left ${rows} locks`);
}

async function get(url, key) {
  const response = await fetch(url, { headers: keyHeaders(key) });
  if (!response.ok) throw new Error(`${url} was answered with ${response.status}`);
  return response.json();
}
