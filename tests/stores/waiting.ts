import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';

import type { WaitingClock } from '@/lib/store/group-commit';

/** Waiting as the product does it. */
export const realWaiting: WaitingClock = {
  now: () => performance.now(),
  sleep: (ms) => delay(ms),
  turn: () => turn(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
};
