import { describe, expect, it } from 'vitest';

import { inspectAnswer } from '../contract/answers';
import { parseAnswer } from './parse-answer';
import { lockOf } from '@/tests/support/locks';

const now = '2026-05-01T09:30:00.000Z';

describe('parseAnswer', () => {
  it('takes an answer of the contract as it is', () => {
    const answer = { lock: lockOf({}), now };
    expect(parseAnswer(inspectAnswer, answer)).toEqual(answer);
  });

  it('drops fields that a newer server has added, at any depth', () => {
    const answer = { lock: { ...lockOf({}), zone: 'eu' }, now, trace: 'x' };
    expect(parseAnswer(inspectAnswer, answer)).toEqual({ lock: lockOf({}), now });
  });

  it('refuses an answer that lacks a field or has one of another type', () => {
    expect(() => parseAnswer(inspectAnswer, { lock: lockOf({}) })).toThrow();
    const wrong = { lock: { ...lockOf({}), fencing_token: '7' }, now };
    expect(() => parseAnswer(inspectAnswer, wrong)).toThrow();
  });
});
