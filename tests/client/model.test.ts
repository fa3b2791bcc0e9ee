import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { createRandom } from '../support/random';
import { runSchedule, type Climate, type Tally } from './model/schedule';

const unhandled: unknown[] = [];
const keep = (error: unknown) => unhandled.push(error);

/** Runs schedules one after the other; a failure names the seed of its own. */
async function runSchedules(what: string, count: number, climate: Climate): Promise<Tally> {
  const random = createRandom(what);
  const tally: Tally = { leases: 0, renewals: 0, losses: new Map(), denials: 0 };
  for (let index = 0; index < count; index += 1) {
    const seed = index === 0 ? random.seed : random.between(0, 2 ** 31);
    try {
      await runSchedule(seed, climate, tally);
    } catch (error) {
      throw new Error(`Schedule ${index} (TEST_SEED=${seed}): ${String(error)}`, { cause: error });
    }
  }
  process.stdout.write(
    `${what}: ${tally.leases} leases, ${tally.renewals} renewals, ${tally.denials} denials, lost ${JSON.stringify(Object.fromEntries(tally.losses))}\n`,
  );
  return tally;
}

describe('a client with a failing network, process and machine', () => {
  beforeAll(() => process.on('unhandledRejection', keep));
  afterAll(() => process.off('unhandledRejection', keep));

  test('never holds on after the end of a lease, leaves no timer and no rejection, over 20,000 schedules', async () => {
    const tally = await runSchedules('client model', 20_000, {
      faults: 0.3,
      delayMsMax: 600,
      mishaps: 0.6,
      ttlMs: [100, 3_000],
    });
    expect(unhandled).toEqual([]);
    // Every way to lose a lease was met.
    for (const how of ['expired', 'unavailable', 'taken', 'forced', 'held-too-long']) {
      expect(tally.losses.get(how), how).toBeGreaterThan(0);
    }
  }, 120_000);

  test('loses no lease while answers come in time, over 2,000 schedules', async () => {
    const tally = await runSchedules('client model in calm', 2_000, {
      faults: 0,
      delayMsMax: 15,
      mishaps: 0,
      ttlMs: [200, 3_000],
    });
    expect(Object.fromEntries(tally.losses)).toEqual({});
    expect(tally.renewals).toBeGreaterThan(tally.leases);
  }, 60_000);
});
