import { expect } from 'vitest';

import type { Lease } from '@/lib/locks/lease';

import { defaultTtlMs, fresh, type Driver } from '../drive';
import { isGrant, replay } from '../replay';
import { guarantee } from '../store-under-test';

/** What holds when many call at once. The clock stands still meanwhile, or is moved by the test. */
export const concurrencyGuarantees = [
  guarantee('of 50 callers on a free resource exactly one gets it', async (at) => {
    for (let round = 0; round < 5; round += 1) {
      const resource = fresh();
      const winner = await onlyWinner(at, resource);
      expect(await at.inspect(resource)).toEqual(winner);
      expect(await at.history(resource)).toHaveLength(1);
    }
  }),

  guarantee('of 50 callers on a lock that has just expired exactly one gets it', async (at) => {
    for (let round = 0; round < 5; round += 1) {
      const over = await at.grant({ resource: fresh(), owner: 'before' });
      await at.clock.advance(defaultTtlMs);
      const winner = await onlyWinner(at, over.resource);
      expect(winner.id).toBe(over.id);
      expect(winner.fencingToken).toBeGreaterThan(over.fencingToken);
      expect(await at.inspect(over.resource)).toEqual(winner);
    }
  }),

  guarantee(
    'of 50 callers on a resource that is released at once at most one gets it',
    async (at) => {
      for (let round = 0; round < 5; round += 1) {
        const lease = await at.grant({ resource: fresh(), owner: 'before' });
        const [released, ...outcomes] = await Promise.all([
          at.release(lease),
          ...owners(50).map((owner) => at.acquire({ resource: lease.resource, owner })),
        ]);
        expect(released).toEqual({ kind: 'released' });
        const granted = outcomes.filter(({ kind }) => kind === 'granted');
        expect(granted.length).toBeLessThanOrEqual(1);
        expect((await at.inspect(lease.resource)) === null).toBe(granted.length === 0);
      }
    },
  ),

  guarantee(
    '50 acquires with one owner all succeed, and only the last token counts',
    async (at) => {
      const resource = fresh();
      const leases = await Promise.all(owners(50).map(() => at.grant({ resource, owner: 'same' })));
      const tokens = leases.map(({ fencingToken }) => fencingToken);
      expect(new Set(tokens).size).toBe(50);
      const current = await at.inspect(resource);
      expect(current?.fencingToken).toBe(Math.max(...tokens));
      const renewed = await Promise.all(
        leases.map((lease) => at.renew(lease, { fencingToken: lease.fencingToken })),
      );
      expect(renewed.filter(({ kind }) => kind === 'renewed')).toHaveLength(1);
      expect(renewed.filter(({ kind }) => kind === 'lost')).toHaveLength(49);
    },
  ),

  guarantee(
    'in a crowd at a held lock its owner is granted it anew, and all others are denied',
    async (at) => {
      const { resource, fencingToken } = await at.grant({ resource: fresh(), owner: 'holder' });
      const crowd = [...owners(25), 'holder', ...owners(25)];
      const outcomes = await Promise.all(crowd.map((owner) => at.acquire({ resource, owner })));
      const granted = outcomes.flatMap((one) => (one.kind === 'granted' ? [one.lease] : []));
      expect(granted.map(({ owner }) => owner)).toEqual(['holder']);
      expect(granted[0]?.fencingToken).toBeGreaterThan(fencingToken);
      expect(
        outcomes.filter((one) => one.kind === 'held' && one.holder.owner === 'holder'),
      ).toHaveLength(50);
    },
  ),

  guarantee('200 acquires of 200 resources at once all succeed', async (at) => {
    const names = owners(200).map(() => fresh());
    const leases = await Promise.all(names.map((resource) => at.grant({ resource, owner: 'a' })));
    expect(leases.map(({ resource }) => resource)).toEqual(names);
    expect(new Set(leases.map(({ fencingToken }) => fencingToken)).size).toBe(200);
    expect(new Set(leases.map(({ id }) => id)).size).toBe(200);
  }),

  guarantee('300 mixed calls at once on few resources leave a history by the rules', async (at) => {
    const names = [fresh(), fresh(), fresh(), fresh()];
    for (let round = 0; round < 3; round += 1) {
      const granted = await mixedCalls(at, names, round);
      expect(new Set(granted).size).toBe(granted.length);
      const onRecord = new Set<number>();
      for (const resource of names) {
        for (const token of await tokensOnRecord(at, resource)) onRecord.add(token);
      }
      expect(granted.filter((token) => !onRecord.has(token))).toEqual([]);
      await at.clock.advance(defaultTtlMs / 2);
    }
  }),

  guarantee('of many operators that end one lease exactly one does', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    const outcomes = await Promise.all(
      owners(20).map((actor) => at.forceRelease(lease, { actor })),
    );
    expect(outcomes.filter(({ kind }) => kind === 'released')).toHaveLength(1);
    expect(outcomes.filter(({ kind }) => kind === 'not-found')).toHaveLength(19);
    expect(await at.history(lease.resource)).toHaveLength(2);
  }),

  guarantee('of many operators that hold one free resource exactly one does', async (at) => {
    const resource = fresh();
    const outcomes = await Promise.all(owners(20).map((actor) => at.hold({ resource, actor })));
    expect(outcomes.filter(({ kind }) => kind === 'held')).toHaveLength(1);
    expect(outcomes.filter(({ kind }) => kind === 'lock-changed')).toHaveLength(19);
  }),

  guarantee('a force-release never ends the lease that its owner got meanwhile', async (at) => {
    for (let round = 0; round < 20; round += 1) {
      const seen = await at.grant({ resource: fresh(), owner: 'a' });
      const calls = [
        () => at.forceRelease(seen),
        () => at.acquire({ resource: seen.resource, owner: 'a' }),
      ];
      if (round % 2 === 1) calls.reverse();
      await Promise.all(calls.map((call) => call()));
      const now = await at.inspect(seen.resource);
      expect(now?.owner).toBe('a');
      expect(now?.fencingToken).toBeGreaterThan(seen.fencingToken);
    }
  }),

  guarantee('nobody slips in between an eviction and the hold that follows it', async (at) => {
    for (let round = 0; round < 5; round += 1) {
      const lease = await at.grant({ resource: fresh(), owner: 'a' });
      const { resource, fencingToken } = lease;
      const waiters = owners(20).map((owner) => () => at.acquire({ resource, owner }));
      const evict =
        round % 2 === 0
          ? () => at.forceRelease(lease, { holdMs: 60_000 })
          : () => at.hold({ resource, fencingToken, ttlMs: 60_000 });
      const calls = [...waiters.slice(0, 10), evict, ...waiters.slice(10)];
      const outcomes = await Promise.all(calls.map((call) => call()));
      expect(outcomes.filter(({ kind }) => kind === 'granted')).toEqual([]);
      expect((await at.inspect(resource))?.hold).not.toBeNull();
    }
  }),

  guarantee('a late release that meets a claim leaves the claim alone', async (at) => {
    for (let round = 0; round < 20; round += 1) {
      const over = await at.grant({ resource: fresh(), owner: 'a' });
      await at.clock.advance(defaultTtlMs);
      const [outcome, claimed] = await Promise.all([
        at.release(over),
        at.grant({ resource: over.resource, owner: 'b' }),
      ]);
      expect(['expired', 'not-owner']).toContain(outcome.kind);
      expect(await at.inspect(over.resource)).toEqual(claimed);
      expect(claimed.id).toBe(over.id);
    }
  }),

  guarantee(
    'renewals that meet the release neither bring the lock back nor fail it',
    async (at) => {
      for (let round = 0; round < 10; round += 1) {
        const lease = await at.grant({ resource: fresh(), owner: 'a' });
        const renew = () => at.renew(lease);
        const calls = [renew, renew, () => at.release(lease), renew, renew];
        const outcomes = await Promise.all(calls.map((call) => call()));
        expect(outcomes[2]).toEqual({ kind: 'released' });
        const others = outcomes.filter((_, index) => index !== 2).map(({ kind }) => kind);
        expect(others.filter((kind) => kind !== 'renewed' && kind !== 'not-found')).toEqual([]);
        expect(await at.inspect(lease.resource)).toBeNull();
      }
    },
  ),

  guarantee('a release that meets the end of its lease never frees the next grant', async (at) => {
    for (let round = 0; round < 10; round += 1) {
      const lease = await at.grant({ resource: fresh(), owner: 'a' });
      const { resource } = lease;
      const [, , next] = await Promise.all([
        at.release(lease),
        at.forceRelease(lease),
        at.acquire({ resource, owner: 'b' }),
      ]);
      const now = await at.inspect(resource);
      if (next.kind === 'granted') expect(now).toEqual(next.lease);
      else expect(now).toBeNull();
    }
  }),

  guarantee('of many releases of one lease exactly one releases', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    const outcomes = await Promise.all(owners(20).map(() => at.release(lease)));
    expect(outcomes.filter(({ kind }) => kind === 'released')).toHaveLength(1);
    expect(outcomes.filter(({ kind }) => kind === 'not-found')).toHaveLength(19);
    expect(await at.history(lease.resource)).toHaveLength(2);
  }),

  guarantee('many renewals at once are each counted', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    const outcomes = await Promise.all(owners(30).map(() => at.renew(lease)));
    expect(outcomes.every(({ kind }) => kind === 'renewed')).toBe(true);
    expect((await at.inspect(lease.resource))?.renewCount).toBe(30);
  }),
];

function owners(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `owner-${String(index)}`);
}

/** Sends 50 acquires at once, and returns the only grant; everybody else must have been shown it. */
async function onlyWinner(at: Driver, resource: string): Promise<Lease> {
  const outcomes = await Promise.all(owners(50).map((owner) => at.acquire({ resource, owner })));
  const granted = outcomes.flatMap((outcome) =>
    outcome.kind === 'granted' ? [outcome.lease] : [],
  );
  const shown = outcomes.flatMap((outcome) => (outcome.kind === 'held' ? [outcome.holder] : []));
  const [winner] = granted;
  expect(granted).toHaveLength(1);
  if (winner === undefined) throw new Error('Nobody got the lock');
  for (const holder of shown) expect(holder).toEqual(winner);
  return winner;
}

/** 300 calls without waiting between them. Returns the tokens that were answered with a grant. */
async function mixedCalls(
  at: Driver,
  names: readonly string[],
  round: number,
): Promise<readonly number[]> {
  const tokens: number[] = [];
  const calls = Array.from({ length: 300 }, async (_, index) => {
    const resource = names[index % names.length] ?? '';
    const owner = `owner-${String(index % 7)}`;
    switch ((index * 5 + round) % 11) {
      case 0:
        return at.release({ resource, owner });
      case 1: {
        const seen = await at.inspect(resource);
        return seen === null ? null : at.forceRelease(seen, { holdMs: (index % 2) * 3_000 });
      }
      case 2:
        return at.askRelease({ resource, fencingToken: tokens.at(-1) ?? 1 });
      case 3: {
        const outcome = await at.hold({
          resource,
          ttlMs: 3_000,
          fencingToken: tokens.at(-1) ?? null,
        });
        if (outcome.kind === 'held') tokens.push(outcome.lease.fencingToken);
        return outcome;
      }
      case 4:
        // At the moment of the grant this changes no expiry, which the history would not tell.
        return at.renew({ resource, owner }, { ttlMs: 100 });
      default: {
        const outcome = await at.acquire({ resource, owner });
        if (outcome.kind === 'granted') tokens.push(outcome.lease.fencingToken);
        return outcome;
      }
    }
  });
  await Promise.all(calls);
  return tokens;
}

/** Checks that a history is one by the rules and leads to the row as it is. Returns the tokens of its grants. */
async function tokensOnRecord(at: Driver, resource: string): Promise<readonly number[]> {
  const history = await at.history(resource);
  const atEnd = replay(history);
  const row = await at.inspect(resource);
  expect(row?.fencingToken).toBe(atEnd?.fencingToken);
  expect(row?.owner).toBe(atEnd?.owner);
  expect(row?.expiresAtMs).toBe(atEnd?.expiresAtMs);
  const { leases } = await at.list({ state: 'all', filter: { resourcePrefix: resource } });
  expect(leases).toEqual(row === null ? [] : [row]);
  return history.filter(isGrant).map(({ fencingToken }) => fencingToken ?? 0);
}
