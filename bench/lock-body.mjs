// What every measured call sends. `lock-calls.lua` has the same texts.

export const owner = 'bench-worker-1';
export const acquireBody = JSON.stringify({ owner, ttl_seconds: 3600 });
export const releaseBody = JSON.stringify({ owner });
/** The key of the measured server, on every call. */
export const benchKey = 'bench-key-of-the-measured-service';
export const keyHeaders = { Authorization: `Bearer ${benchKey}` };
export const jsonHeaders = { 'Content-Type': 'application/json', ...keyHeaders };
