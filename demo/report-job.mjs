// One report under a lock: acquire, work while renewing, release. The loop that a careful client runs.
import { between, pause } from './waiting.mjs';

/**
 * @param holding the resources that this process holds right now.
 * @param isForgotten whether the job, when done, ends without a release.
 * @param signal aborted when the worker is to end: the report is cut short and its lock released.
 */
export async function makeReport({ client, records, holding, call, workMs, isForgotten, signal }) {
  const lease = await acquire(client, records, call, signal);
  if (lease === null) return;
  holding.add(call.resource);
  try {
    const how = await workUnderLease({ client, records, call, lease, workMs, signal });
    if (how !== 'done') records.ended(lease, how);
    else if (isForgotten && !signal.aborted) records.ended(lease, 'forgotten');
    else await release(client, records, call, lease);
  } finally {
    holding.delete(call.resource);
  }
}

/** The lease, or null if somebody else holds the lock (and the caller does not insist) or no answer came. */
async function acquire(client, records, call, signal) {
  while (!signal.aborted) {
    const { outcome, sentMs, lock, retryAfterMs } = await client.acquire(call);
    if (outcome === 'granted') {
      // Counted from before the request was sent: the lease can only end later than this.
      const untilMs = sentMs + call.ttlMs;
      const lease = { token: lock.fencing_token, untilMs };
      records.granted(call, lease, lock.expires_at);
      return lease;
    }
    if (outcome === 'unknown') {
      records.unanswered(call);
      await pause(1_000, signal);
      return null;
    }
    records.denied(call);
    if (!call.insists) return null;
    await pause(Math.min(retryAfterMs, between(300, 900)), signal);
  }
  return null;
}

/** Works and renews at a third of the TTL. Stops as soon as the lease can't be relied on: `overran`, `lost`, `evicted`. */
async function workUnderLease({ client, records, call, lease, workMs, signal }) {
  const doneMs = performance.now() + workMs;
  const renewEveryMs = call.ttlMs / 3;
  let renewMs = performance.now() + renewEveryMs;
  while (performance.now() < doneMs && !signal.aborted) {
    await pause(Math.min(renewMs, doneMs) - performance.now(), signal);
    if (performance.now() >= lease.untilMs) return 'overran';
    if (performance.now() < renewMs) continue;
    const { outcome, sentMs, lock } = await client.renew(call, lease.token);
    renewMs = performance.now() + renewEveryMs;
    if (outcome === 'renewed') {
      lease.untilMs = Math.max(lease.untilMs, sentMs + call.ttlMs);
      records.renewed(call, lease, lock.expires_at);
      // An operator asked for the lock: finish early and let go.
      if (lock.release_requested !== null) return 'done';
    } else if (outcome !== 'unknown') return outcome;
  }
  return 'done';
}

async function release(client, records, call, lease) {
  const sentMs = performance.now();
  const { outcome } = await client.release(call, lease.token);
  records.ended(lease, outcome, sentMs);
}
