import { describe, expect, it } from 'vitest';

import { StoreUnavailable } from '../locks/errors';
import { RolledBack, StoreBusy } from './errors';
import { createGroupCommit, type GroupCommitOptions } from './group-commit';
import type { Rider } from './lane';
import type { WaitingClock } from './waiting-clock';

/** Time that passes only when somebody sleeps. */
function steppedClock(): WaitingClock & { sleeps: number } {
  let nowMs = 0;
  return {
    sleeps: 0,
    now: () => nowMs,
    sleep(ms) {
      this.sleeps += 1;
      nowMs += ms;
      return Promise.resolve();
    },
    after: () => () => undefined,
    turn: () => new Promise((resolve) => setImmediate(resolve)),
    random: () => 1,
  };
}

function options(overrides: Partial<GroupCommitOptions> = {}): GroupCommitOptions {
  return {
    groupMax: 256,
    groupsInFlightMax: 1,
    gatherMsMax: 0,
    queueMax: 10_000,
    patienceMs: 2_000,
    answerMsMax: 10_000,
    waiting: steppedClock(),
    ...overrides,
  };
}

const rider = (resource: string): Rider => ({ resource });
const names = (calls: readonly Rider[]) => calls.map(({ resource }) => resource);

describe('group commit', () => {
  it('carries calls that arrive together in one group, and answers each with its own outcome', async () => {
    const groups: string[][] = [];
    const call = createGroupCommit(options()).addLane((calls: readonly Rider[]) => {
      groups.push(names(calls));
      return Promise.resolve(names(calls).map((name) => `${name}!`));
    });
    expect(await Promise.all(['a', 'b', 'c'].map((name) => call(rider(name))))).toEqual([
      'a!',
      'b!',
      'c!',
    ]);
    expect(groups).toEqual([['a', 'b', 'c']]);
  });

  it('lets one resource ride once in a group: the second call waits for the next', async () => {
    const groups: string[][] = [];
    const call = createGroupCommit(options()).addLane((calls: readonly Rider[]) => {
      groups.push(names(calls));
      return Promise.resolve(names(calls));
    });
    await Promise.all(['a', 'a', 'b', 'a'].map((name) => call(rider(name))));
    expect(groups).toEqual([['a', 'b'], ['a'], ['a']]);
  });

  it('answers a crowd at one resource beside the one of them that rides', async () => {
    const groups: string[][] = [];
    const call = createGroupCommit(options()).addLane(
      (calls: readonly Rider[]) => {
        groups.push(names(calls));
        return Promise.resolve(names(calls).map((name) => `${name} rode`));
      },
      ({ resource }) => `${resource} did not`,
    );
    expect(await Promise.all(['a', 'a', 'b', 'a'].map((name) => call(rider(name))))).toEqual([
      'a rode',
      'a did not',
      'b rode',
      'a did not',
    ]);
    expect(groups).toEqual([['a', 'b']]);
  });

  it('lets whom the outcome beside does not answer ride next, before all who came later', async () => {
    const served: number[] = [];
    const seat = (id: number) => ({ resource: 'a', id });
    const call = createGroupCommit(options()).addLane(
      (calls: readonly { resource: string; id: number }[]) => {
        served.push(...calls.map(({ id }) => id));
        return Promise.resolve(calls.map(({ id }) => id));
      },
      ({ id }) => (id === 2 ? -2 : null),
    );
    const first = [1, 2, 3].map((id) => call(seat(id)));
    await first[0];
    const later = call(seat(4));
    expect(await Promise.all([...first, later])).toEqual([1, -2, 3, 4]);
    expect(served).toEqual([1, 3, 4]);
  });

  it('lets a crowd beside a ride that failed ride for itself', async () => {
    let runs = 0;
    const call = createGroupCommit(options()).addLane(
      (calls: readonly Rider[]) => {
        runs += 1;
        return runs === 1 ? Promise.reject(new Error('cut off')) : Promise.resolve(names(calls));
      },
      () => 'beside',
    );
    const settled = await Promise.allSettled(['a', 'a', 'a'].map((name) => call(rider(name))));
    expect(settled.map((one) => (one.status === 'fulfilled' ? one.value : 'failed'))).toEqual([
      'failed',
      'a',
      'beside',
    ]);
  });

  it('tells a call whose patience ended in the queue to come again, and does not serve it', async () => {
    const waiting = steppedClock();
    const carried: string[] = [];
    const call = createGroupCommit(options({ waiting, groupMax: 1 })).addLane(
      async (calls: readonly Rider[]) => {
        carried.push(...names(calls));
        await waiting.sleep(3_000);
        return names(calls);
      },
    );
    const settled = await Promise.allSettled(['a', 'b'].map((name) => call(rider(name))));
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(carried).toEqual(['a']);
  });

  it('never carries more than the largest group', async () => {
    const sizes: number[] = [];
    const call = createGroupCommit(options({ groupMax: 10 })).addLane((calls: readonly Rider[]) => {
      sizes.push(calls.length);
      return Promise.resolve(names(calls));
    });
    await Promise.all(Array.from({ length: 25 }, (_, index) => call(rider(String(index)))));
    expect(sizes).toEqual([10, 10, 5]);
  });

  it('serves the lanes in turn, those added first before the others', async () => {
    const served: string[] = [];
    const commits = createGroupCommit(options({ groupMax: 1 }));
    const lane = (name: string) =>
      commits.addLane((calls: readonly Rider[]) => {
        served.push(name);
        return Promise.resolve(names(calls));
      });
    const [renew, acquire] = [lane('renew'), lane('acquire')];
    await Promise.all([
      acquire(rider('a')),
      acquire(rider('b')),
      renew(rider('c')),
      renew(rider('d')),
    ]);
    expect(served).toEqual(['renew', 'acquire', 'renew', 'acquire']);
  });

  it('refuses a call beyond the longest queue at once', async () => {
    const call = createGroupCommit(options({ queueMax: 2 })).addLane((calls: readonly Rider[]) =>
      Promise.resolve(names(calls)),
    );
    const calls = ['a', 'b', 'c'].map((name) => call(rider(name)));
    await expect(calls[2]).rejects.toThrow(StoreUnavailable);
    expect(await Promise.all(calls.slice(0, 2))).toEqual(['a', 'b']);
    expect(await call(rider('d'))).toBe('d');
  });

  it('runs a group that was rolled back again one by one, so that one bad rider fails alone', async () => {
    const call = createGroupCommit(options()).addLane((calls: readonly Rider[]) =>
      names(calls).includes('bad')
        ? Promise.reject(new RolledBack('constraint'))
        : Promise.resolve(names(calls)),
    );
    const settled = await Promise.allSettled(['a', 'bad', 'b'].map((name) => call(rider(name))));
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('does not run a group again when what it wrote is not known', async () => {
    let runs = 0;
    const call = createGroupCommit(options()).addLane(() => {
      runs += 1;
      return Promise.reject(new Error('the commit was cut off'));
    });
    const settled = await Promise.allSettled(['a', 'b'].map((name) => call(rider(name))));
    expect(
      settled.every((one) => one.status === 'rejected' && one.reason instanceof StoreUnavailable),
    ).toBe(true);
    expect(runs).toBe(1);
  });

  it('tries a busy store again until it answers', async () => {
    let attempts = 0;
    const call = createGroupCommit(options()).addLane((calls: readonly Rider[]) => {
      attempts += 1;
      return attempts < 5 ? Promise.reject(new StoreBusy()) : Promise.resolve(names(calls));
    });
    expect(await call(rider('a'))).toBe('a');
    expect(attempts).toBe(5);
  });

  it('gives up on a busy store when patience is over, and works again once it is free', async () => {
    const waiting = steppedClock();
    let isBusy = true;
    const call = createGroupCommit(options({ waiting })).addLane((calls: readonly Rider[]) =>
      isBusy ? Promise.reject(new StoreBusy()) : Promise.resolve(names(calls)),
    );
    await expect(call(rider('a'))).rejects.toThrow(StoreUnavailable);
    expect(waiting.now()).toBeGreaterThanOrEqual(2_000);
    expect(waiting.now()).toBeLessThan(2_100);
    isBusy = false;
    expect(await call(rider('a'))).toBe('a');
  });

  it('tells a call that the store hangs, and never serves behind its back what was still waiting', async () => {
    const alarms: (() => void)[] = [];
    const waiting = {
      ...steppedClock(),
      after: (_: number, ring: () => void) => (alarms.push(ring), () => undefined),
    };
    const carried: string[] = [];
    let settle = (): void => undefined;
    const call = createGroupCommit(options({ waiting })).addLane(
      async (calls: readonly Rider[]) => {
        carried.push(...names(calls));
        if (carried.length === 1) await new Promise<void>((resolve) => (settle = resolve));
        return names(calls);
      },
    );
    const hanging = call(rider('a'));
    while (carried.length === 0) await waiting.turn();
    const queued = call(rider('b'));
    for (const ring of alarms) ring();
    await expect(hanging).rejects.toThrow(StoreUnavailable);
    await expect(queued).rejects.toThrow(StoreUnavailable);
    settle();
    expect(await call(rider('c'))).toBe('c');
    expect(carried).toEqual(['a', 'c']);
  });

  it('answers other work under way before it closes', async () => {
    const commits = createGroupCommit(options());
    let isDone = false;
    const work = commits.runWithPatience(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      isDone = true;
    });
    await commits.close();
    expect(isDone).toBe(true);
    await work;
  });

  it('answers calls under way before it closes, and refuses later ones', async () => {
    const commits = createGroupCommit(options());
    const call = commits.addLane((calls: readonly Rider[]) => Promise.resolve(names(calls)));
    const underWay = call(rider('a'));
    await commits.close();
    expect(await underWay).toBe('a');
    await expect(call(rider('b'))).rejects.toThrow(StoreUnavailable);
    await expect(commits.runWithPatience(() => Promise.resolve(1))).rejects.toThrow(
      StoreUnavailable,
    );
  });

  describe('while a group is under way', () => {
    /** Groups that end when they are told to, and a timer that fires when it is told to. */
    function heldGroups() {
      const groups: string[][] = [];
      const ends: (() => void)[] = [];
      const timers = new Set<() => void>();
      const waiting: WaitingClock = {
        ...steppedClock(),
        after(ms, callback) {
          if (ms !== gatherMsMax) return () => undefined;
          timers.add(callback);
          return () => timers.delete(callback);
        },
      };
      const commits = createGroupCommit(
        options({ groupMax: 3, groupsInFlightMax: 2, gatherMsMax, waiting }),
      );
      const call = commits.addLane(async (calls: readonly Rider[]) => {
        groups.push(names(calls));
        await new Promise<void>((resolve) => ends.push(resolve));
        return names(calls);
      });
      return { groups, ends, timers, call };
    }
    const gatherMsMax = 7;
    const turns = async () => {
      for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
    };

    it('the next waits for it, with all who come meanwhile', async () => {
      const { groups, ends, timers, call } = heldGroups();
      const first = call(rider('a'));
      await turns();
      const later = [call(rider('b'))];
      await turns();
      later.push(call(rider('c')));
      await turns();
      expect(groups).toEqual([['a']]);
      ends[0]?.();
      await first;
      await turns();
      expect(groups).toEqual([['a'], ['b', 'c']]);
      expect(timers.size).toBe(0);
      ends[1]?.();
      await Promise.all(later);
    });

    it('a full one leaves at once', async () => {
      const { groups, ends, call } = heldGroups();
      const calls = [call(rider('a'))];
      await turns();
      for (const name of ['b', 'c', 'd']) {
        calls.push(call(rider(name)));
        await turns();
      }
      expect(groups).toEqual([['a'], ['b', 'c', 'd']]);
      for (const end of ends) end();
      await Promise.all(calls);
    });

    it('few leave beside it when it takes long', async () => {
      const { groups, ends, timers, call } = heldGroups();
      const calls = [call(rider('a'))];
      await turns();
      calls.push(call(rider('b')));
      await turns();
      for (const fire of timers) fire();
      await turns();
      expect(groups).toEqual([['a'], ['b']]);
      for (const end of ends) end();
      await Promise.all(calls);
    });
  });
});
