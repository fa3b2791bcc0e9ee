import v8 from 'node:v8';
import vm from 'node:vm';

import { describe, expect, test } from 'vitest';

import { contentionLimits } from './contention';
import { countedMax, createDenialCounter } from './denial-counter';
import type { Lease } from './lease';

const holder: Lease = {
  id: '1',
  resource: 'job',
  owner: 'holder',
  client: null,
  acquiredAtMs: 0,
  expiresAtMs: 60_000,
  renewedAtMs: null,
  renewCount: 0,
  ttlMs: 60_000,
  fencingToken: 7,
  hold: null,
  releaseRequested: null,
  metadata: null,
};

function call(resource: string, owner: string, client: string | null = null) {
  return { resource, owner, client };
}

describe('the counter of denied attempts', () => {
  test('adds up the attempts of each owner of each client, from the first to the last', () => {
    const counter = createDenialCounter();
    counter.add(call('job', 'a'), holder, 200);
    counter.add(call('job', 'a'), { ...holder, owner: 'next', fencingToken: 8 }, 100);
    counter.add(call('job', 'a', 'client'), holder, 300);
    expect(counter.take()).toEqual([
      {
        ...call('job', 'a'),
        attempts: 2,
        firstAtMs: 100,
        lastAtMs: 200,
        holder: { owner: 'next', client: null, fencingToken: 8 },
      },
      {
        ...call('job', 'a', 'client'),
        attempts: 1,
        firstAtMs: 300,
        lastAtMs: 300,
        holder: { owner: 'holder', client: null, fencingToken: 7 },
      },
    ]);
    expect(counter.take()).toEqual([]);
  });

  test('keeps no more than so many, whatever names callers make up', () => {
    const counter = createDenialCounter();
    for (let name = 0; name < 20 * countedMax; name += 1) {
      counter.add(call(`job-${name % (2 * countedMax)}`, `owner-${name}`), holder, name);
    }
    expect(counter.take()).toHaveLength(countedMax);
  });

  test('forgets first who was quiet longest: at one resource, and over all', () => {
    const counter = createDenialCounter();
    const { askersMax } = contentionLimits;
    for (let owner = 0; owner < askersMax; owner += 1) {
      counter.add(call('job', `owner-${owner}`), holder, owner);
    }
    counter.add(call('job', 'owner-0'), holder, 1_000);
    counter.add(call('job', 'new'), holder, 1_001);
    const owners = counter.take().map(({ owner }) => owner);
    expect(owners).toHaveLength(askersMax);
    expect(owners).not.toContain('owner-1');
    expect(owners.slice(-2)).toEqual(['owner-0', 'new']);

    for (let job = 0; job < countedMax; job += 1) {
      counter.add(call(`job-${job}`, 'owner'), holder, job);
    }
    counter.add(call('job-0', 'owner'), holder, 2_000);
    counter.add(call('new', 'owner'), holder, 2_001);
    const resources = counter.take().map(({ resource }) => resource);
    expect(resources).toHaveLength(countedMax);
    expect(resources).not.toContain('job-1');
    expect(resources.slice(-2)).toEqual(['job-0', 'new']);
  });
});

test('ever new owners and resources take a bounded part of the memory', () => {
  const counter = createDenialCounter();
  const name = (attempt: number) => String(attempt).padEnd(200, 'o');
  const before = heapBytes();
  for (let attempt = 0; attempt < 200_000; attempt += 1) {
    counter.add({ resource: 'job', owner: name(attempt), client: null }, holder, attempt);
    counter.add({ resource: name(attempt), owner: 'b', client: null }, holder, attempt);
  }
  // Some kilobytes for each of a thousand; all of them would be a hundred megabytes.
  expect(heapBytes() - before).toBeLessThan(10 * 1024 * 1024);
  expect(counter.take().length).toBeLessThanOrEqual(countedMax);
});

/** After all that can be collected was. */
function heapBytes(): number {
  v8.setFlagsFromString('--expose-gc');
  vm.runInNewContext('gc()');
  return process.memoryUsage().heapUsed;
}
