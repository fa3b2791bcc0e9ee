import type { Lease } from '@/client/src/lease';
import { createClient, type Client } from '@/client/src/index';

import { randomFrom, type Random } from '../../support/random';
import { networkOf, type Sent, type Weather } from './network';
import { Service } from './service';
import { Machine, World } from './world';

export interface Climate extends Weather {
  /** How often, from 0 to 1, something happens to the process or the lock during a hold. */
  readonly mishaps: number;
  readonly ttlMs: readonly [number, number];
}

export interface Tally {
  leases: number;
  renewals: number;
  losses: Map<string, number>;
  denials: number;
}

interface Held {
  readonly machine: Machine;
  readonly lease: Lease;
  /** Taken once: asking the lease for it would make it look at the clock. */
  readonly signal: AbortSignal;
  isReleased: boolean;
  releasedAtMs: number;
}

const eventsMax = 20_000;
const resources = ['job:1', 'job:2'] as const;

/** One schedule of several clients at two locks, from its seed. @throws at the first thing that must not be. */
export async function runSchedule(seed: number, climate: Climate, tally: Tally): Promise<void> {
  const random = randomFrom(seed);
  const world = new World();
  const service = new Service();
  const held: Held[] = [];
  const machines: Machine[] = [];
  // Asking whether a lease is held makes it look; leaving that out shows that it looks by itself.
  const isProbing = random.next() < 0.5;
  const errors: unknown[] = [];

  const actors = Array.from({ length: random.between(1, 3) }, async () => {
    const machine = new Machine(world, () => random.next());
    machines.push(machine);
    const onSent = (sent: Sent) => {
      if (!sent.path.endsWith('/renew')) return;
      tally.renewals += 1;
      const late = held.find(({ lease }) => lease.fencingToken === sent.token);
      if (late?.isReleased === true) errors.push(new Error('A renewal after the release'));
      if (late?.signal.aborted === true) errors.push(new Error('A renewal after the loss'));
    };
    const client = createClient({
      url: 'http://holdfast.test',
      clock: machine.clock,
      fetch: networkOf(world, machine, service, random, climate, onSent),
      answerTimeoutMs: random.between(50, 1_000),
    });
    await actAs({ client, machine, random, climate, held, tally, service, world, errors });
  });
  let left = actors.length;
  for (const actor of actors) {
    actor.then(
      () => (left -= 1),
      (error: unknown) => errors.push(error),
    );
  }

  await world.run(() => {
    if (errors.length > 0) throw errors[0];
    expectTruth(held, service, world.nowMs, isProbing);
  }, eventsMax);
  if (errors.length > 0) throw errors[0];
  if (left > 0) throw new Error('A client waits for ever');
  for (const machine of machines) {
    if (machine.pendingTimers > 0) throw new Error('A timer is left');
  }
}

/** No lease counts as held that the service has ended, but for one whose end only the service can know yet. */
function expectTruth(
  held: readonly Held[],
  { rows, forcedOwners }: Service,
  nowMs: number,
  isProbing: boolean,
): void {
  for (const { machine, lease, signal, isReleased } of held) {
    if (isReleased || machine.isStill || signal.aborted) continue;
    if (forcedOwners.has(lease.owner)) continue;
    const row = rows.get(lease.resource);
    const isActive = row?.owner === lease.owner && nowMs < row.expiresAtMs;
    if (isActive) continue;
    if (isProbing && lease.isHeld) throw new Error(`Held after its end, at ${nowMs}`);
    // Timers count whole milliseconds.
    const isJustOver = row?.owner === lease.owner && nowMs < row.expiresAtMs + 1;
    const isWaking = nowMs < machine.wakingUntilMs;
    if (!isProbing && !isJustOver && !isWaking) throw new Error(`No signal by ${nowMs}`);
  }
}

interface Stage {
  readonly client: Client;
  readonly machine: Machine;
  readonly random: Random;
  readonly climate: Climate;
  readonly held: Held[];
  readonly tally: Tally;
  readonly service: Service;
  readonly world: World;
  readonly errors: unknown[];
}

async function actAs(stage: Stage): Promise<void> {
  const { machine, random, climate, tally } = stage;
  for (let turn = random.between(1, 2); turn > 0; turn -= 1) {
    const resource = random.pick(resources);
    const giveUp = new AbortController();
    if (random.next() < climate.mishaps / 4) {
      machine.deliver(stage.world.nowMs + random.between(0, 300), () =>
        giveUp.abort(new Error('enough')),
      );
    }
    const options = {
      ttlMs: random.between(...climate.ttlMs),
      waitMs: random.pick([0, 300, 3_000]),
      signal: giveUp.signal,
      ...(random.next() < climate.mishaps / 4 ? { maxHoldMs: random.between(50, 2_000) } : {}),
    };
    try {
      if (random.next() < 0.5) await workByHand(stage, resource, options);
      else await stage.client.using(resource, options, (lease) => hold(stage, lease));
    } catch (error) {
      const name = error instanceof Error ? error.name : String(error);
      if (name === 'NotAcquiredError') tally.denials += 1;
      else if (!['UnavailableError', 'LockLostError'].includes(name) && !giveUp.signal.aborted) {
        throw error;
      }
    }
  }
}

async function workByHand(
  stage: Stage,
  resource: string,
  options: { readonly ttlMs: number; readonly signal: AbortSignal },
): Promise<void> {
  const lease = await stage.client.tryAcquire(resource, options);
  if (lease === undefined) return;
  try {
    await hold(stage, lease);
  } finally {
    const kept = stage.held.find((each) => each.lease === lease);
    const releasing = lease.release();
    if (kept !== undefined) kept.isReleased = true;
    if (stage.random.next() < 0.5) await releasing;
  }
}

/** Holds the lease for a while, with what may happen meanwhile. */
async function hold(stage: Stage, lease: Lease): Promise<void> {
  const { machine, random, climate, world, service, tally } = stage;
  tally.leases += 1;
  const kept: Held = {
    machine,
    lease,
    signal: lease.signal,
    isReleased: false,
    releasedAtMs: Infinity,
  };
  stage.held.push(kept);
  if (kept.signal.aborted) stage.errors.push(new Error('Granted when it was over'));
  lease.onReleaseRequested(() => undefined);
  kept.signal.addEventListener('abort', () => {
    const how = lease.lost?.how ?? 'none';
    if (world.nowMs > kept.releasedAtMs) stage.errors.push(new Error('Lost after its release'));
    tally.losses.set(how, (tally.losses.get(how) ?? 0) + 1);
    if (how === 'forced' && !service.forced.has(lease.fencingToken)) {
      stage.errors.push(new Error('Said to be forced, and was not'));
    }
  });
  const holdMs = random.next() * 3 * lease.ttlMs;
  if (random.next() < climate.mishaps) {
    const mishap = random.between(1, 5);
    const lengthMs = random.next() * 2 * lease.ttlMs;
    machine.deliver(world.nowMs + random.next() * holdMs, () => {
      if (mishap === 1) machine.block(lengthMs);
      if (mishap === 2) machine.suspend(lengthMs);
      if (mishap === 3) service.forceRelease(lease.resource, world.nowMs);
      if (mishap === 4) service.askRelease(lease.resource, world.nowMs);
      if (mishap === 5) machine.setBack(lengthMs);
    });
  }
  await new Promise<void>((resolve) => machine.deliver(world.nowMs + holdMs, () => resolve()));
  // `using` releases right after this, in the same turn.
  kept.isReleased = true;
  kept.releasedAtMs = world.nowMs;
}
