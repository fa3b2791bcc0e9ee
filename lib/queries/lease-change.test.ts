import { describe, expect, it } from 'vitest';

import { leaseChange } from './lease-change';
import { eventOf, lockOf } from '@/tests/support/locks';

const seen = lockOf({});
const next = lockOf({ owner: 'worker-2', fencing_token: 2 });

describe('leaseChange', () => {
  it('is none while the lease is the one that was seen', () => {
    expect(leaseChange(seen, lockOf({ renew_count: 4 }), [])).toEqual({ kind: 'same' });
  });

  it('tells a lease that ran out from one that was expired all along', () => {
    const expired = lockOf({ state: 'expired' });
    expect(leaseChange(seen, expired, []).kind).toBe('ran-out');
    expect(leaseChange(expired, expired, []).kind).toBe('same');
  });

  it.each([
    ['released', [eventOf({ kind: 'released' })]],
    ['ran-out', [eventOf({ kind: 'claimed', fencing_token: 2, owner: 'worker-2' })]],
    ['ran-out', [eventOf({ kind: 'expired' })]],
    ['reacquired', [eventOf({ kind: 'reacquired', fencing_token: 2 })]],
    ['unknown', []],
  ])('says that another lease came after one that was %s', (ended, events) => {
    expect(leaseChange(seen, next, events)).toMatchObject({ kind: 'taken', by: next, ended });
  });

  it('names the person who ended it, also when it is held or gone by now', () => {
    const event = eventOf({ kind: 'force_released', actor: 'Mia', reason: 'INC-1' });
    expect(leaseChange(seen, next, [event])).toEqual({ kind: 'ended-by-person', event });
    expect(leaseChange(seen, null, [event])).toEqual({ kind: 'ended-by-person', event });
  });

  it('does not take a forced release of another lease for the end of this one', () => {
    const event = eventOf({ kind: 'force_released', fencing_token: 7, actor: 'Mia' });
    expect(leaseChange(seen, null, [event])).toMatchObject({ kind: 'gone', ended: 'unknown' });
  });

  it('knows a hold that ran out by itself from one that somebody ended', () => {
    const byNobody = eventOf({ kind: 'reopened' });
    expect(leaseChange(seen, null, [byNobody]).kind).toBe('gone');
    const byMia = eventOf({ kind: 'reopened', actor: 'Mia' });
    expect(leaseChange(seen, null, [byMia]).kind).toBe('ended-by-person');
  });
});
