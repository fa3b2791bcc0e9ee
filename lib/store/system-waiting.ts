import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';

import type { WaitingClock } from './waiting-clock';

/** Waiting by this process's own clock and event loop. */
export const systemWaiting: WaitingClock = {
  now: () => performance.now(),
  sleep: (ms) => delay(ms),
  turn: () => turn(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
};
