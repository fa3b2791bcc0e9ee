import { describe, expect, it } from 'vitest';

import type { LocksPage } from './list-locks';
import { refreshRows, settleRows } from './still-rows';
import { lockOf } from '@/tests/support/locks';

function pageOf(...names: string[]): LocksPage {
  return {
    locks: names.map((name) => lockOf({ resource: name })),
    next_cursor: null,
    counts: { active: 0, expired: 0, expiring: 0, silent: 0, closed: 0, asked: 0 },
    counts_capped: false,
    now: '2026-05-01T09:30:00.000Z',
    anchor: { serverMs: 0, monotonicMs: 0 },
  };
}

const held = { isHeldStill: true };
const free = { isHeldStill: false };

function namesOf(rows: readonly { lock: { resource: string } }[]): string[] {
  return rows.map(({ lock }) => lock.resource);
}

describe('settleRows', () => {
  it('takes the newest order while no hand is in the table', () => {
    const before = settleRows(null, [pageOf('a', 'b')], free);
    expect(namesOf(settleRows(before, [pageOf('c', 'b')], free).rows)).toEqual(['c', 'b']);
  });

  it('keeps the order under the hand and counts what is new', () => {
    const before = settleRows(null, [pageOf('a', 'b')], free);
    const after = settleRows(before, [pageOf('new', 'b', 'a')], held);
    expect(namesOf(after.rows)).toEqual(['a', 'b']);
    expect(after.waiting).toBe(1);
  });

  it('keeps a row that left, and marks it', () => {
    const before = settleRows(null, [pageOf('a', 'b')], free);
    const after = settleRows(before, [pageOf('b')], held);
    expect(after.rows.map(({ isMissing }) => isMissing)).toEqual([true, false]);
    const back = settleRows(after, [pageOf('b', 'a')], held);
    expect(back.rows.map(({ isMissing }) => isMissing)).toEqual([false, false]);
    expect(back.waiting).toBe(0);
  });

  it('changes values in place', () => {
    const before = settleRows(null, [pageOf('a')], free);
    const renewed = { ...pageOf(), locks: [lockOf({ resource: 'a', renew_count: 7 })] };
    const after = settleRows(before, [renewed], held);
    expect(after.rows[0]?.lock.renew_count).toBe(7);
  });

  it('appends the rows of further pages, though a hand is in the table', () => {
    const before = settleRows(null, [pageOf('a')], free);
    const after = settleRows(before, [pageOf('a', 'new'), pageOf('b', 'c')], held);
    expect(namesOf(after.rows)).toEqual(['a', 'b', 'c']);
    expect(after.waiting).toBe(1);
  });

  it('lists a lock once that moved between two pages while they were read', () => {
    const pages = [pageOf('a', 'b'), pageOf('b', 'c')];
    expect(namesOf(settleRows(null, pages, free).rows)).toEqual(['a', 'b', 'c']);
  });
});

describe('refreshRows', () => {
  it('updates what one page knows and leaves the rest alone', () => {
    const before = settleRows(null, [pageOf('a', 'b')], free);
    const page = { ...pageOf(), locks: [lockOf({ resource: 'b', renew_count: 3 })] };
    const after = refreshRows(before, page);
    expect(namesOf(after.rows)).toEqual(['a', 'b']);
    expect(after.rows[1]?.lock.renew_count).toBe(3);
    expect(after.rows[0]?.isMissing).toBe(false);
  });
});
