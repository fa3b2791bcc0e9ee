import fc from 'fast-check';
import { expect } from 'vitest';

import type { LockEvent } from '@/lib/locks/events';
import type { Lease } from '@/lib/locks/lease';
import { limits } from '@/lib/locks/limits';

import { drive, fresh, type Driver } from '../drive';
import { openMemoryStore } from '../memory-under-test';
import { guarantee } from '../store-under-test';

/** Which of the leases that a resource has had is meant by its token. */
type WhichToken = 'none' | 'newest' | 'one before' | 'wrong';

type Step =
  | { readonly kind: 'wait'; readonly ms: number }
  | (Subject &
      (
        | { readonly kind: 'acquire' | 'hold'; readonly ttlMs: number }
        | { readonly kind: 'renew'; readonly ttlMs: number }
        | { readonly kind: 'release' | 'ask-release' }
        | {
            readonly kind: 'force-release';
            readonly holdMs: number;
            readonly onlyExpired: boolean;
            readonly hasReason: boolean;
          }
      ));

interface Subject {
  readonly resource: number;
  readonly owner: number;
  readonly client: number;
  readonly token: WhichToken;
}

const whichToken = fc.constantFrom<WhichToken>('none', 'newest', 'newest', 'one before', 'wrong');
const subject = {
  resource: fc.nat(1),
  owner: fc.nat(1),
  client: fc.constantFrom(0, 0, 0, 1),
  token: whichToken,
};
const ttlMs = fc.constantFrom(100, 1_000, 1_500, 5_000);

// Weighted so that leases are in every state: live, about to end, just over, ended by a person, held.
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ ...subject, kind: fc.constant('acquire'), ttlMs }) },
  { weight: 4, arbitrary: fc.record({ ...subject, kind: fc.constant('renew'), ttlMs }) },
  { weight: 2, arbitrary: fc.record({ ...subject, kind: fc.constant('release') }) },
  { weight: 1, arbitrary: fc.record({ ...subject, kind: fc.constant('hold'), ttlMs }) },
  { weight: 1, arbitrary: fc.record({ ...subject, kind: fc.constant('ask-release') }) },
  {
    weight: 2,
    arbitrary: fc.record({
      ...subject,
      kind: fc.constant('force-release'),
      holdMs: fc.constantFrom(0, 0, 1_000),
      onlyExpired: fc.constantFrom(false, false, true),
      hasReason: fc.constantFrom(true, true, false),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('wait'),
      ms: fc.constantFrom(1, 99, 100, 500, 1_000, 5_000, 2 * limits.forcedMemoryMs, -500),
    }),
  },
);

/** Any sequence of calls is answered, and leaves the rows and the history, as the memory store does it. */
export const specificationGuarantees = [
  guarantee('any sequence of calls goes as in the specification', async (at) => {
    const steps = fc.array(step, { minLength: 10, maxLength: 40, size: 'max' });
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        const specification = openMemoryStore();
        await specification.clock.set(await at.now());
        const expected = await play(drive(specification), sequence);
        expect(await play(at, sequence)).toEqual(expected);
      }),
      { numRuns: 25, seed: 20_260_501 },
    );
  }),
];

/** Everything that the sequence shows, in terms that don't depend on the store: names, ids and tokens by their order. */
async function play(at: Driver, sequence: readonly Step[]): Promise<unknown> {
  const players = [createPlayer(at), createPlayer(at)];
  const startMs = await at.now();
  const seen: unknown[] = [];
  for (const one of sequence) {
    if (one.kind === 'wait') await at.clock.advance(one.ms);
    else seen.push(await players[one.resource]?.take(one));
  }
  for (const player of players) seen.push(await player.lookAtEnd());
  await at.clock.set(startMs);
  return seen;
}

function createPlayer(at: Driver) {
  const resource = fresh();
  const tokens: number[] = [];
  const ids: string[] = [];

  const tokenOf = (which: WhichToken): number | null => {
    switch (which) {
      case 'none':
        return null;
      case 'newest':
        return tokens.at(-1) ?? null;
      case 'one before':
        return tokens.at(-2) ?? null;
      case 'wrong':
        return 1 + Math.max(0, ...tokens);
    }
  };

  /** Tokens and ids by their place in the order in which they were first seen. */
  function asTold(lease: Lease) {
    if (!tokens.includes(lease.fencingToken)) tokens.push(lease.fencingToken);
    if (!ids.includes(lease.id)) ids.push(lease.id);
    const fencingToken = tokens.indexOf(lease.fencingToken);
    return { ...lease, resource: '', id: ids.indexOf(lease.id), fencingToken };
  }

  function eventAsTold({ id: _id, ...event }: LockEvent) {
    const token = event.fencingToken;
    return { ...event, resource: '', fencingToken: token === null ? null : tokens.indexOf(token) };
  }

  async function look() {
    const lease = await at.inspect(resource);
    return lease === null ? null : asTold(lease);
  }

  async function call(one: Exclude<Step, { kind: 'wait' }>): Promise<object> {
    const owner = `owner-${String(one.owner)}`;
    const client = `client-${String(one.client)}`;
    const actor = owner;
    const fencingToken = tokenOf(one.token);
    const seen = { resource, fencingToken: fencingToken ?? limits.fencingTokenMax };
    switch (one.kind) {
      case 'acquire':
        return at.acquire({ resource, owner, client, ttlMs: one.ttlMs });
      case 'renew':
        return at.renew({ resource, owner, client }, { ttlMs: one.ttlMs, fencingToken });
      case 'release':
        return at.release({ resource, owner, client }, { fencingToken });
      case 'hold':
        return at.hold({ resource, actor, fencingToken, ttlMs: one.ttlMs });
      case 'ask-release':
        return at.askRelease(seen, { actor });
      case 'force-release': {
        const { holdMs, onlyExpired } = one;
        const reason = one.hasReason ? 'because' : null;
        return at.forceRelease(seen, { actor, reason, holdMs, onlyExpired });
      }
    }
  }

  return {
    async take(one: Exclude<Step, { kind: 'wait' }>) {
      const outcome = await call(one);
      const told = Object.entries(outcome).map(([key, value]: [string, unknown]) =>
        isLease(value) ? [key, asTold(value)] : [key, value],
      );
      return [one.kind, told, await look()];
    },
    async lookAtEnd() {
      return [await look(), (await at.history(resource)).map(eventAsTold)];
    },
  };
}

function isLease(value: unknown): value is Lease {
  return typeof value === 'object' && value !== null && 'fencingToken' in value && 'ttlMs' in value;
}
