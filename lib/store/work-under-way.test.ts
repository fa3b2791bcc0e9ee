import { describe, expect, it } from 'vitest';

import { StoreUnavailable } from '../locks/errors';
import { systemWaiting } from './system-waiting';
import { WorkUnderWay } from './work-under-way';

describe('work under way', () => {
  it('lets each call wait as long as any other, also where the timer rings early', async () => {
    let nowMs = 0;
    const alarms: { readonly atMs: number; readonly ring: () => void }[] = [];
    const waiting = {
      ...systemWaiting,
      now: () => nowMs,
      after(ms: number, ring: () => void) {
        alarms.push({ atMs: nowMs + ms, ring });
        return () => undefined;
      },
    };
    const work = new WorkUnderWay({ waiting, answerMsMax: 10_000, queueMax: 10 });
    const ends: [string, number][] = [];
    const hang = (name: string) =>
      work
        .answer(() => () => undefined)
        .catch((error: unknown) => {
          expect(error).toBeInstanceOf(StoreUnavailable);
          ends.push([name, nowMs]);
        });
    void hang('first');
    nowMs = 6_000;
    void hang('second');
    let rings = 0;
    for (let next = alarms.shift(); next !== undefined && rings < 10; next = alarms.shift()) {
      nowMs = rings === 0 ? next.atMs - 0.5 : next.atMs;
      next.ring();
      await new Promise((resolve) => setImmediate(resolve));
      rings += 1;
    }
    expect(ends).toEqual([
      ['first', 10_000.5],
      ['second', 16_000],
    ]);
  });

  it('leaves no timer behind when nothing is under way', async () => {
    let timers = 0;
    const waiting = {
      ...systemWaiting,
      after() {
        timers += 1;
        return () => {
          timers -= 1;
        };
      },
    };
    const work = new WorkUnderWay({ waiting, answerMsMax: 10_000, queueMax: 10 });
    const settles: (() => void)[] = [];
    const calls = ['one', 'two'].map((name) =>
      work.answer<string>((resolve) => {
        settles.push(() => resolve(name));
        return () => undefined;
      }),
    );
    expect(timers).toBe(1);
    for (const settle of settles) settle();
    expect(await Promise.all(calls)).toEqual(['one', 'two']);
    expect(timers).toBe(0);
  });
});
