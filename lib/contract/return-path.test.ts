import { describe, expect, test } from 'vitest';

import { returnPath } from './return-path';

describe('where a person goes on after signing in', () => {
  test.each([
    '/locks',
    '/locks?state=all&q=a%26b',
    '/locks/a%2Fb%23c',
    '/locks/%2F%2Fevil.example',
    '/locks/%5Cevil#history',
    '/apis',
  ])('is the page that was asked for: %s', (path) => {
    expect(returnPath(path)).toBe(path);
  });

  test.each([
    null,
    undefined,
    '',
    'locks',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '\t//evil.example',
    ' //evil.example',
    '/.//evil.example',
    '/..//evil.example',
    '/a/..//evil.example',
    '/./\\evil.example',
    '/%2e//evil.example',
    'https://evil.example/',
    'https:/evil.example',
    'http:evil.example',
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    '\u0001javascript:alert(1)',
    'data:text/html,x',
    '//user@evil.example',
    '//[::1]/',
    '///evil.example',
    '/api/locks.csv',
    '/sign-in?to=/sign-in',
    '/set-up',
    `/${'a'.repeat(5_000)}`,
  ])('is never another site, the API or the entrance: %j', (to) => {
    expect(returnPath(to)).toBeNull();
  });
});
