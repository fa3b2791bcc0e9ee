import { describe, expect, test } from 'vitest';

import {
  createClient,
  LockLostError,
  NotAcquiredError,
  UnavailableError,
} from '@/client/src/index';

import { randomFrom } from '../support/random';
import { networkOf, type Sent } from './model/network';
import { Service } from './model/service';
import { Machine, World } from './model/world';

/** One client of a service that answers at once, in a world where nothing else happens. */
function stage(seed = 1) {
  const random = randomFrom(seed);
  const world = new World();
  const machine = new Machine(world, () => random.next());
  const service = new Service();
  const sent: Sent[] = [];
  const network = { isDown: false };
  const calm = networkOf(world, machine, service, random, { faults: 0, delayMsMax: 2 }, (call) =>
    sent.push(call),
  );
  const client = createClient({
    url: 'http://holdfast.test',
    clock: machine.clock,
    fetch: (input, init) =>
      network.isDown ? Promise.reject(new TypeError('fetch failed')) : calm(input, init),
  });
  const renewals = () => sent.filter(({ path }) => path.endsWith('/renew')).length;
  return { world, machine, service, client, network, renewals };
}

type Stage = ReturnType<typeof stage>;

/** Runs what is to be tried until nothing is left to happen. */
async function play(
  { world }: Stage,
  act: (wait: (ms: number) => Promise<void>) => Promise<void>,
): Promise<void> {
  const outcome: { error?: unknown; isDone: boolean } = { isDone: false };
  const wait = (ms: number) =>
    new Promise<void>((resolve) => world.at(world.nowMs + ms, () => resolve()));
  act(wait).then(
    () => (outcome.isDone = true),
    (error: unknown) => (outcome.error = error),
  );
  await world.run(() => undefined, 100_000);
  expect(outcome.error).toBeUndefined();
  expect(outcome.isDone).toBe(true);
}

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('a lease', () => {
  test('that is released leaves no timer, and is never renewed again, 2,000 times', async () => {
    const on = stage();
    await play(on, async () => {
      for (let turn = 0; turn < 2_000; turn += 1) {
        const lease = await on.client.acquire('job', { ttlMs: 300 });
        expect(await lease.release()).toBe('released');
        expect(on.machine.pendingTimers).toBe(0);
      }
    });
    expect(on.renewals()).toBe(0);
    expect(on.world.nowMs).toBeLessThan(20_000);
  });

  test('that was lost leaves no timer before its release', async () => {
    const on = stage();
    await play(on, async (wait) => {
      const lease = await on.client.acquire('job', { ttlMs: 3_000 });
      on.service.forceRelease('job', on.world.nowMs);
      await wait(1_500);
      expect(lease.lost).toMatchObject({
        how: 'forced',
        by: 'ann@example.com',
        reason: 'it was stuck',
      });
      expect(on.machine.pendingTimers).toBe(0);
      expect(await lease.release()).toBe('lost');
    });
  });

  test('is held through ten times its TTL by default, with three renewals in each', async () => {
    const on = stage();
    await play(on, async (wait) => {
      const lease = await on.client.acquire('job');
      await wait(10 * lease.ttlMs);
      expect(lease.isHeld).toBe(true);
      expect(on.renewals()).toBeGreaterThanOrEqual(29);
      await lease.release();
    });
  });

  test('of thirty days is renewed no more than once a second', async () => {
    const on = stage();
    await play(on, async (wait) => {
      const lease = await on.client.acquire('job', { ttlMs: 30 * 86_400_000 });
      await wait(60_000);
      expect(on.renewals()).toBe(0);
      await lease.release();
    });
  });

  test('outlives one failed renewal', async () => {
    const on = stage();
    await play(on, async (wait) => {
      const lease = await on.client.acquire('job', { ttlMs: 3_000 });
      on.network.isDown = true;
      await wait(1_100);
      on.network.isDown = false;
      await wait(10_000);
      expect(lease.signal.aborted).toBe(false);
      await lease.release();
    });
  });

  test('ends at its own deadline while the service is gone, and says that it was gone', async () => {
    const on = stage();
    await play(on, async (wait) => {
      const { signal } = await on.client.acquire('job', { ttlMs: 3_000 });
      on.network.isDown = true;
      await wait(2_990);
      expect(signal.aborted).toBe(false);
      await wait(10);
      expect(signal.reason).toMatchObject({ code: 'lost', how: 'unavailable' });
      expect((signal.reason as Error).cause).toBeInstanceOf(UnavailableError);
    });
  });

  test('is lost when its process stood still past its end, though a renewal was answered meanwhile', async () => {
    const on = stage();
    await play(on, async (wait) => {
      const { signal } = await on.client.acquire('job', { ttlMs: 3_000 });
      while (on.renewals() === 0) await wait(1);
      on.machine.block(2_500);
      await wait(2_500);
      await wait(1);
      expect(signal.reason).toMatchObject({ how: 'expired' });
    });
  });

  test('is given up after maxHoldMs, whatever the work does', async () => {
    const on = stage();
    await play(on, async (wait) => {
      const lease = await on.client.acquire('job', { ttlMs: 3_000, maxHoldMs: 5_000 });
      await wait(5_001);
      expect(lease.signal.reason).toMatchObject({ how: 'held-too-long' });
      const renewals = on.renewals();
      await wait(30_000);
      expect(on.renewals()).toBe(renewals);
    });
  });

  test('tells who asks for its release, once for each time that somebody asks', async () => {
    const on = stage();
    const heard: string[] = [];
    await play(on, async (wait) => {
      const lease = await on.client.acquire('job', { ttlMs: 3_000 });
      lease.onReleaseRequested(({ by }) => heard.push(by));
      on.service.askRelease('job', on.world.nowMs);
      await wait(5_000);
      on.service.askRelease('job', on.world.nowMs);
      await wait(5_000);
      lease.onReleaseRequested(({ by }) => heard.push(`late ${by}`));
      await lease.release();
    });
    expect(heard).toEqual(['ann@example.com', 'ann@example.com', 'late ann@example.com']);
  });
});

describe('work under a lock', () => {
  test('that fails rejects with its own error, also when nothing can be released', async () => {
    const on = stage();
    const own = new Error('of the work');
    await play(on, async () => {
      const failure = await failureOf(
        on.client.using('job', { ttlMs: 1_000 }, () => {
          on.network.isDown = true;
          throw own;
        }),
      );
      expect(failure).toBe(own);
    });
  });

  test('that ends after its lease was lost is not passed off as a success', async () => {
    const on = stage();
    await play(on, async (wait) => {
      const failure = await failureOf(
        on.client.using('job', { ttlMs: 1_000 }, async () => {
          on.service.forceRelease('job', on.world.nowMs);
          await wait(800);
          return 'done';
        }),
      );
      expect(failure).toBeInstanceOf(LockLostError);
    });
  });

  test('that ended in time is a success, whether or not the release is answered', async () => {
    const on = stage();
    await play(on, async () => {
      const result = await on.client.using('job', { ttlMs: 1_000 }, () => {
        on.network.isDown = true;
        return 'done';
      });
      expect(result).toBe('done');
    });
  });

  test('on a lock that somebody holds fails otherwise than on one that was lost', async () => {
    const on = stage();
    await play(on, async () => {
      const lease = await on.client.acquire('job', { ttlMs: 60_000 });
      const failure = await failureOf(on.client.using('job', { waitMs: 0 }, () => 'never'));
      expect(failure).toBeInstanceOf(NotAcquiredError);
      expect(failure).toMatchObject({ holder: { owner: lease.owner } });
      await lease.release();
    });
  });
});

describe('several locks', () => {
  test('are all held, or none', async () => {
    const on = stage();
    await play(on, async () => {
      const other = await on.client.acquire('b', { ttlMs: 60_000 });
      expect(await failureOf(on.client.acquireAll(['c', 'b', 'a'], { waitMs: 0 }))).toBeInstanceOf(
        NotAcquiredError,
      );
      expect([...on.service.rows.keys()]).toEqual(['b']);
      await other.release();
      const set = await on.client.acquireAll(['c', 'b', 'a']);
      expect(set.leases.map(({ resource }) => resource)).toEqual(['a', 'b', 'c']);
      on.service.forceRelease('b', on.world.nowMs);
      expect(await set.release()).toBe('lost');
      expect(on.machine.pendingTimers).toBe(0);
    });
  });

  test('are lost together', async () => {
    const on = stage();
    await play(on, async (wait) => {
      const set = await on.client.acquireAll(['a', 'b'], { ttlMs: 3_000 });
      const { signal } = set;
      on.service.forceRelease('b', on.world.nowMs);
      await wait(1_500);
      expect(signal.reason).toMatchObject({ resource: 'b', how: 'forced' });
      expect(set.isHeld).toBe(false);
      await set.release();
    });
  });
});

describe('the classic shape', () => {
  test('acquires again after a loss, and never twice at once', async () => {
    const on = stage();
    await play(on, async (wait) => {
      const lock = on.client.lock('job', { ttlMs: 1_000 });
      await lock.acquire(0);
      expect(await failureOf(lock.acquire(0))).toMatchObject({ code: 'bad-argument' });
      on.network.isDown = true;
      await wait(1_100);
      on.network.isDown = false;
      expect(lock.lease?.isHeld).toBe(false);
      expect((await lock.acquire(2_000)).isHeld).toBe(true);
      expect(await lock.release()).toBe('released');
      expect(await lock.release()).toBe('released');
    });
  });
});
