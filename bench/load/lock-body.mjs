// What every measured call sends. `lock-calls.lua` has the same texts.

export const owner = 'bench-worker-1';
export const acquireBody = JSON.stringify({ owner, ttl_seconds: 3600 });
export const releaseBody = JSON.stringify({ owner });

/** @param key the API key of the measured server, or null for one that asks for none. */
export function keyHeaders(key) {
  return key === null ? {} : { Authorization: `Bearer ${key}` };
}

export function jsonHeaders(key) {
  return { 'Content-Type': 'application/json', ...keyHeaders(key) };
}
