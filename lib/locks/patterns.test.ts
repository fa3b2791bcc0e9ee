import { describe, expect, test } from 'vitest';

import { isCovered, parsePattern } from './patterns';

const covers = (pattern: string, resource: string) => isCovered(resource, [parsePattern(pattern)]);

describe('a resource pattern', () => {
  test.each([
    ['report:*', 'report:'],
    ['report:*', 'report:monthly-2026-05'],
    ['report:*', 'report:*'],
    ['*', 'anything at all'],
    ['job:42', 'job:42'],
    ['レポート*', 'レポート:月次'],
  ])('%s covers %s', (pattern, resource) => {
    expect(covers(pattern, resource)).toBe(true);
  });

  test.each([
    ['report:*', 'report'],
    ['report:*', 'Report:a'],
    ['report:*', 'x-report:a'],
    ['job:42', 'job:421'],
    ['job:42', 'job:4'],
    ['job:4%', 'job:42'],
    ['job_*', 'jobs'],
    ['e*', '\u00e9'],
  ])('%s does not cover %s', (pattern, resource) => {
    expect(covers(pattern, resource)).toBe(false);
  });

  test('one of several is enough, and none covers nothing', () => {
    const patterns = ['a', 'b:*'].map(parsePattern);
    expect(['a', 'b:1', 'c'].map((resource) => isCovered(resource, patterns))).toEqual([
      true,
      true,
      false,
    ]);
    expect(isCovered('a', [])).toBe(false);
  });
});
