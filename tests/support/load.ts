import type { Instances } from './instances';
import { fresh } from './both-doors';
import type { TakenLease } from './lease-check';
import type { Random } from './random';

export type Load = ReturnType<typeof createLoad>;

/** Callers who acquire, renew, release and are evicted, over all instances, and note what they were told. */
export function createLoad(instances: Instances, random: Random) {
  const names = Array.from({ length: 10 }, () => fresh('chaos'));
  const load = { names, taken: [] as TakenLease[], operations: 0, unknown: 0, useOneLock };
  const anywhere = () => instances.api(random.between(0, 2));

  /** When one call was sent and answered; 503 means "maybe". */
  async function counted<Told extends { readonly status: number }>(call: () => Promise<Told>) {
    load.operations += 1;
    const sentMs = performance.now();
    const answer = await call();
    if (answer.status === 503) load.unknown += 1;
    return { sentMs, answeredMs: performance.now(), answer };
  }

  async function useOneLock(): Promise<void> {
    const resource = names[random.next() < 0.5 ? random.between(0, 1) : random.between(2, 9)] ?? '';
    const owner = `client-${load.operations}-${random.next()}`;
    const ttlMs = random.pick([100, 300, 1_000]);
    const body = { owner, ttl_ms: ttlMs };
    const acquired = await counted(() => anywhere().call('acquire', { resource, body }));
    if (!acquired.answer.ok) return;
    const told = acquired.answer.value();
    if (!told.acquired) return;
    const token = told.lock.fencing_token;
    const { sentMs, answeredMs } = acquired;
    const lease = { resource, token, sentMs, answeredMs, heldUntilMs: sentMs + ttlMs };
    load.taken.push(lease);
    const own = { owner, fencing_token: token };
    for (let renewals = random.between(0, 3); renewals > 0; renewals -= 1) {
      const renewing = { ...own, ttl_ms: ttlMs };
      const renewed = await counted(() => anywhere().call('renew', { resource, body: renewing }));
      if (renewed.answer.status === 200) lease.heldUntilMs = renewed.sentMs + ttlMs;
      if (renewed.answer.status === 409 || renewed.answer.status === 404) return;
    }
    if (random.next() > 0.9) return;
    lease.heldUntilMs = Math.min(lease.heldUntilMs, performance.now());
    if (random.next() < 0.1) {
      const seen = { reason: 'stuck', fencing_token: token };
      await counted(() => anywhere().call('forceRelease', { resource, body: seen }));
    } else {
      await counted(() => anywhere().call('release', { resource, body: own }));
    }
  }

  return load;
}
